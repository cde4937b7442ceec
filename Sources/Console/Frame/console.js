localTimes(document);
