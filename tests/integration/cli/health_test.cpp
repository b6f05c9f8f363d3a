#include "support/service.hpp"

#include <doctest/doctest.h>
