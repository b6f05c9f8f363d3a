// The bodies of Asio, once for the program (BOOST_ASIO_SEPARATE_COMPILATION). In core, which all modules link.
#include <boost/asio/impl/src.hpp>
