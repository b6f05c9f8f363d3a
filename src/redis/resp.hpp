#pragma once

#include "svc/redis/reply.hpp"

#include <hiredis/read.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace svc::redis {

/// Turns RESP2 bytes into `reply` values; hiredis's reader fills our values directly. One per connection,
/// worker-local. Total: any bytes give a value, `incomplete` or `broken`. Once broken, it stays broken.
class reply_parser {
 public:
  enum class step { complete, incomplete, broken };

  reply_parser();
  ~reply_parser();
  reply_parser(reply_parser const&) = delete;
  reply_parser& operator=(reply_parser const&) = delete;

  void feed(std::string_view bytes);
  /// `complete` moves the next value into `into`; otherwise `into` stays as it is.
  step next(reply& into);
  /// Returns the reason for `broken`.
  std::string_view fault() const { return fault_; }

 private:
  struct callbacks;
  struct closer {
    void operator()(redisReader* r) const { redisReaderFree(r); }
  };

  // The reader's root object is always `root_`: a value that is not an array needs no allocation beyond its text.
  reply root_;
  std::unique_ptr<redisReader, closer> reader_;
  std::string fault_;
};

/// The command that allows the next command to use a slot that is being moved to this node (Redis Cluster).
inline constexpr std::string_view asking_command = "*1\r\n$6\r\nASKING\r\n";

/// A command as up to three runs of arguments, so that they need not be copied into one list first. Views only, which
/// `append_command` reads.
struct command_parts {
  std::span<std::string_view const> head;
  std::span<std::string_view const> keys{};
  std::span<std::string_view const> arguments{};
  /// True: ASKING precedes the command. Redis owes another reply for it, and nothing may come between the two.
  bool asking = false;
};

/// Appends the command, and ASKING before it, as Redis expects it: a RESP array of bulk strings. Binary-safe.
void append_command(std::string& out, command_parts const& parts);

}  // namespace svc::redis
