// The bodies of Beast and of Asio's TLS, once for this program; svcd has net's.
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
