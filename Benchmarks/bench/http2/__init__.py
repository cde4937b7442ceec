"""HTTP/2 with TLS: servers, sides, and the tables of the group `transport` about it."""
