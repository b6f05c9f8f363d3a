// The bodies of Beast, once for the program (BOOST_BEAST_SEPARATE_COMPILATION); net alone uses it.
#include <boost/beast/src.hpp>
