#pragma once

namespace svc::test {

/// A TCP port of the loopback interface that is free at this moment.
int free_port();

}  // namespace svc::test
