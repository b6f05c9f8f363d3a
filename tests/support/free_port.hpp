#pragma once

namespace svc::test {

/// A TCP port of the loopback interface that is free at this moment, and that no outgoing connection gets, so that a
/// server may leave it and take it again.
int free_port();

}  // namespace svc::test
