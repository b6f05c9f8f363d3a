#pragma once

#include "svc/redis/script.hpp"

namespace svc::access {

redis::script const& raise_script();
redis::script const& put_script();
redis::script const& announce_script();

}  // namespace svc::access
