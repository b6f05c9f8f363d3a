#pragma once

#include "redis/resp.hpp"
#include "svc/core/deadline.hpp"
#include "svc/redis/client.hpp"

#include <deque>
#include <optional>

namespace svc::redis {

/// Waits for a command's outcome. Lives in the frame of the coroutine that waits. The multiplexer hands it back with
/// `result` set, and does not refer to it after that call.
class waiter {
 public:
  explicit waiter(deadline until, std::optional<steady::time_point> late = {}) : until_(until.at()), late_(late) {}
  waiter(waiter const&) = delete;
  waiter& operator=(waiter const&) = delete;

  steady::time_point until() const { return until_; }
  /// Returns the time after which the reply to a patient command is late. Empty for other commands, which end
  /// when they are late.
  std::optional<steady::time_point> late() const { return late_; }
  /// Continues the coroutine at once, inside the call.
  virtual void resume() = 0;
  /// Continues the coroutine in a later turn of the event loop.
  virtual void resume_later() = 0;

  outcome result{};

 protected:
  ~waiter() = default;

 private:
  steady::time_point until_;
  std::optional<steady::time_point> late_;
};

/// The order of commands and replies on one connection, without the connection. A command is
///   waiting   encoded after all other waiting ones; no byte of it has left; can still be taken back
///   staged    part of the one contiguous block that is being written; cannot be taken back
///   written   Redis owes a reply
///   done      its reply was handed to its waiter, or dropped because the waiter was gone (abandoned)
/// Invariant: replies come in the order of the commands, so an abandoned command keeps its position and
/// consumes its late reply. Anything that contradicts this order makes it `broken`: the connection must be
/// closed. One per connection, worker-local.
class multiplexer {
 public:
  /// `longest_gap` is as in `settings`. `prompt` is the time in which Redis shows a sign of life when it owes a reply
  /// to a patient command. `notice_silence` counts in units of `prompt`.
  multiplexer(std::size_t max_commands, statistics& counters, steady::duration longest_gap = {},
              steady::duration prompt = {})
      : max_commands_(max_commands), counters_(counters), longest_gap_(longest_gap), prompt_(prompt) {}

  /// Encodes the command after all waiting ones. Returns false, with `unsent` as result, if there are too many
  /// commands, or the connection is broken or ended. With a null `waiter` the reply is dropped.
  bool submit(command_parts const& parts, waiter* waiter);

  /// Stages all waiting commands once the previous block is written. Returns true if there are bytes to write.
  bool stage(steady::time_point now);
  /// Returns the rest of the block to write; valid until `wrote` or `stage`.
  std::string_view staged() const { return std::string_view(block_).substr(block_written_); }
  /// Records that the first `count` bytes of `staged()` may have left the process.
  void wrote(std::size_t count, steady::time_point now);

  void feed(std::string_view bytes, steady::time_point now);
  /// Returns the next waiter with a complete reply, or null if more bytes are needed or the connection is broken or
  /// ended. After each `feed`, the caller calls it until it returns null.
  waiter* next();

  bool broken() const { return !fault_.empty(); }
  /// Returns the reason for the log.
  std::string const& fault() const { return fault_; }

  /// Appends to `gone` the waiters of all commands past their deadline. A waiting command is taken back (`unsent`), a
  /// staged or written one is abandoned (`missed`).
  void expire(steady::time_point now, std::vector<waiter*>& gone);
  /// Appends to `gone` the waiters of all patient commands, with the same results.
  void give_up(std::vector<waiter*>& gone);
  /// Returns true if Redis has been silent for one more `prompt` while a patient command is late. The first such time
  /// counts from the last byte, each further one from the previous call that returned true.
  bool notice_silence(steady::time_point now);
  /// Returns the time when `notice_silence` becomes true if no byte arrives; empty while no patient command waits.
  std::optional<steady::time_point> silence_due() const;
  /// Ends the connection: appends all waiters to `gone` and accepts no more commands.
  void end(std::vector<waiter*>& gone);

  /// Returns the earliest deadline of all waiters.
  std::optional<steady::time_point> earliest() const;
  /// Returns the time since which Redis has owed a reply and sent no byte; empty while it owes none.
  std::optional<steady::time_point> silent_since() const;
  /// Returns the time when the last command was staged.
  steady::time_point last_staged() const { return last_staged_; }
  bool idle() const { return waiting_.empty() && sent_.empty(); }

 private:
  struct waiting_command {
    waiter* waiter;
    std::size_t size;
    bool asking;
  };
  /// `begin` and `end` are offsets in the stream of all bytes of this connection.
  struct sent_command {
    waiter* waiter;
    std::uint64_t begin;
    std::uint64_t end;
    steady::time_point staged;
    bool asking;  ///< the reply to its ASKING precedes its own
  };

  bool started(sent_command const& c) const { return c.begin < written_; }
  static std::uint64_t reply_due(sent_command const& c);
  bool after_a_gap(sent_command const& answered);
  void settle(waiter& waiter, delivery delivery);
  template <class Condition>
  void abandon(Condition over, std::vector<waiter*>& gone);
  template <class Condition>
  void take_back(Condition over, std::vector<waiter*>& gone);

  std::size_t max_commands_;
  statistics& counters_;
  steady::duration longest_gap_;
  steady::duration prompt_;
  reply_parser parser_;
  std::string waiting_bytes_;
  std::vector<waiting_command> waiting_;
  std::string block_;
  std::size_t block_written_ = 0;
  std::deque<sent_command> sent_;   // staged and written
  std::uint64_t staged_total_ = 0;  // stream offset after the last staged byte
  std::uint64_t written_ = 0;
  steady::time_point last_progress_{};
  steady::time_point last_staged_{};
  std::optional<steady::time_point> proven_{};   // staging time of the last answered command
  std::optional<steady::time_point> noticed_{};  // time when the silence was last noticed
  std::string fault_;
  bool ended_ = false;
};

}  // namespace svc::redis
