#pragma once

#include "svc/core/deadline.hpp"
#include "svc/egress/dns/resolver.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::egress {

/// The questions of one lookup, which has one name, and what the servers have said so far: pure, fed with bytes.
/// Answers of any server are taken, also late ones.
class dns_round {
 public:
  dns_round(std::string name, std::vector<record_type> types);

  std::string const& name() const { return name_; }
  std::size_t size() const { return questions_.size(); }
  record_type type(std::size_t i) const { return questions_[i].type; }
  /// Whether the next server is to be asked this one.
  bool open(std::size_t i) const { return !questions_[i].good; }

  /// A step begins: another server is asked all open questions.
  void begin_step();
  /// One question of the current step was asked.
  void asked() { ++waiting_; }
  /// What came for question `i`, asked in `step`; nothing: silence, or a server that could not be reached.
  void take(unsigned step, std::size_t i, std::optional<std::span<std::uint8_t const>> bytes, steady::time_point now);
  unsigned step() const { return step_; }

  /// Nothing more has to be asked.
  bool complete() const;
  /// Nothing more will come in this step.
  bool step_over() const { return complete() || waiting_ == 0; }
  /// How long to wait for the other questions once one has records; nothing before.
  std::optional<steady::time_point> patience() const { return patience_; }

  /// Any usable answer, from whichever server.
  bool answered() const { return answered_at_.has_value(); }
  /// When the latest of them came.
  std::optional<steady::time_point> answered_at() const { return answered_at_; }
  /// As far as this lookup alone can tell; never `resolver_unreachable`. `dns_timeout` if no server said anything.
  lookup outcome() const;
  /// The records of all questions; those of `aaaa` first.
  std::vector<dns_record> records() const;
  std::chrono::seconds ttl() const;

 private:
  struct question {
    record_type type{};
    std::optional<dns_answer> good{};     // NOERROR or NXDOMAIN
    std::optional<dns_answer> refused{};  // any other result code; with that of SERVFAIL for what cannot be read
  };
  bool name_is_unknown() const;

  std::string name_;
  std::vector<question> questions_;
  unsigned step_ = 0;
  std::size_t waiting_ = 0;
  std::optional<steady::time_point> patience_, answered_at_;
};

}  // namespace svc::egress
