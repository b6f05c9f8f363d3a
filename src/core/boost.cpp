// Compiles Asio, its TLS and Beast once for all programs (BOOST_*_SEPARATE_COMPILATION). In core, which all modules
// link; a program links only the parts that it uses.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
