#pragma once

namespace svc::test {

/// Returns a port of the loopback interface that is free for TCP at this moment. The kernel gives it only to sockets
/// that ask for this port, TCP or UDP. No other caller gets it while this process lives. So a server may leave the
/// port and take it again, and no other server appears there.
int free_port();

}  // namespace svc::test
