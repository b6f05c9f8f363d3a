#pragma once

namespace svc::test {

/// A port of the loopback interface that is free for TCP at this moment, that the kernel gives to nobody who does not
/// name it, TCP or UDP, and that no other caller gets while this process lives: a server may leave it and take it
/// again, and where none is, none comes.
int free_port();

}  // namespace svc::test
