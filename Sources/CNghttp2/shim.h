// nghttp2 makes and reads the frames of HTTP/2; it opens no socket. Swift can call all of it as it is.
#ifndef FANFARE_CNGHTTP2_SHIM_H
#define FANFARE_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

#endif
