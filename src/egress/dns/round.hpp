#pragma once

#include "svc/core/deadline.hpp"
#include "svc/egress/dns/resolver.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::egress {

/// The questions of one lookup for one name, and the answers so far. Pure: callers feed it with bytes. It accepts
/// answers of any server, also late ones.
class dns_round {
 public:
  dns_round(std::string name, std::vector<record_type> types);

  std::string const& name() const { return name_; }
  std::size_t size() const { return questions_.size(); }
  record_type type(std::size_t i) const { return questions_[i].type; }
  /// True if the next server must be asked question `i`.
  bool open(std::size_t i) const { return !questions_[i].good; }

  /// Starts a step, in which another server is asked all open questions.
  void begin_step();
  /// Counts one question of the current step as sent.
  void asked() { ++waiting_; }
  /// Takes the answer to question `i` that was asked in `step`. `std::nullopt` means silence or a server that could
  /// not be reached.
  void take(unsigned step, std::size_t i, std::optional<std::span<std::uint8_t const>> bytes, steady::time_point now);
  unsigned step() const { return step_; }

  /// True if no question remains to be asked.
  bool complete() const;
  /// True if no further answer is expected in this step.
  bool step_over() const { return complete() || waiting_ == 0; }
  /// Deadline for the other questions once one has records; empty before.
  std::optional<steady::time_point> patience() const { return patience_; }

  /// True if any server has given a usable answer.
  bool answered() const { return answered_at_.has_value(); }
  /// Arrival time of the latest usable answer.
  std::optional<steady::time_point> answered_at() const { return answered_at_; }
  /// Returns the outcome as far as this lookup alone can tell; never `resolver_unreachable`. It is `dns_timeout` if
  /// no server answered.
  lookup outcome() const;
  /// Returns the records of all questions; records of `aaaa` come first.
  std::vector<dns_record> records() const;
  std::chrono::seconds ttl() const;

 private:
  struct question {
    record_type type{};
    std::optional<dns_answer> good{};     // NOERROR or NXDOMAIN
    std::optional<dns_answer> refused{};  // any other result code; SERVFAIL for an unreadable answer
  };
  bool name_is_unknown() const;

  std::string name_;
  std::vector<question> questions_;
  unsigned step_ = 0;
  std::size_t waiting_ = 0;
  std::optional<steady::time_point> patience_, answered_at_;
};

}  // namespace svc::egress
