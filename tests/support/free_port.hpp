#pragma once

namespace svc::test {

/// A TCP port of the loopback that nobody listens on at this moment.
int free_port();

}  // namespace svc::test
