#pragma once

namespace svc::test {

/// A TCP port of the loopback interface that is free at this moment, that no outgoing connection gets, and that no
/// other caller gets while this process lives, so that a server may leave it and take it again.
int free_port();

}  // namespace svc::test
