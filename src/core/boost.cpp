// Compiles Asio, its TLS and Beast once for all programs (BOOST_*_SEPARATE_COMPILATION). It is in core, because all
// modules link core; a program links only the parts that it uses.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
