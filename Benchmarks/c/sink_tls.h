// The sink's TLS: a connection of OpenSSL over a socket that does not block. Reads and writes report as recv and send do.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ssl_st;

extern unsigned long tls_handshakes, tls_resumed;  // those that ended well, and those of them without a certificate

// Before the first connection. `version`, "1.2" or "1.3", is the only one that is spoken. Ends the program when a file
// cannot be used.
void tls_start(const char *certificate, const char *key, const char *version);

// From now on HTTP/2 is chosen in the handshake, and a client that does not offer it gets no connection.
void tls_choose_http2(void);

// NULL: out of memory.
struct ssl_st *tls_accept(int fd);

// Shakes hands too, as often as it is called before that is done. 0: the peer has ended; -1 with EAGAIN: nothing is there yet;
// -1 with EPROTO: the connection is of no use any more.
ssize_t tls_read(struct ssl_st *tls, char *bytes, size_t room);

// Whether bytes were received that tls_read has not returned: the socket will not say so.
bool tls_has_more(struct ssl_st *tls);

// All or nothing; -1 with EPROTO when the peer is gone.
ssize_t tls_write(struct ssl_st *tls, const char *bytes, size_t length);

// Tells the peer that nothing follows, so that it may resume the session.
void tls_end(struct ssl_st *tls);

void tls_free(struct ssl_st *tls);
