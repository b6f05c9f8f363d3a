#pragma once

#include "attack_fixture.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// Somebody with an ordinary account, or none, who does one thing again and again on a thread of its own.
class attacker {
 public:
  explicit attacker(std::string name) : name_(std::move(name)) {}
  virtual ~attacker() = default;  ///< has ended
  attacker(attacker const&) = delete;
  attacker& operator=(attacker const&) = delete;

  void begin();
  void end();
  std::string const& name() const { return name_; }
  /// How often it acted, and how often that was refused or broke off.
  std::size_t acts() const { return acts_; }
  std::size_t refused() const { return refused_; }
  /// In words; once it has ended.
  std::string const& last_refusal() const { return last_refusal_; }

 protected:
  /// Once; whatever it throws counts as refused.
  virtual void act() = 0;
  /// Lets go of all that it holds.
  virtual void leave() {}
  bool over() const { return over_; }
  /// On its own thread.
  void note_refused(std::string why) {
    ++refused_;
    last_refusal_ = std::move(why);
  }
  /// The same for an answer.
  void note_refused(answer const& got) { note_refused(std::to_string(got.status) + " " + code_of(got)); }
  /// Sleeps, not much longer than until the end.
  void pause(std::chrono::milliseconds how_long) const;

 private:
  void run();

  std::string const name_;
  std::atomic<std::size_t> acts_ = 0, refused_ = 0;
  std::string last_refusal_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

using attackers = std::vector<std::unique_ptr<attacker>>;

/// A TLS client that can do what no library lets one do.
class attack_connection {
 public:
  /// Shakes hands with ADDR:PORT, from another address than that of clients that behave. Throws when that fails.
  explicit attack_connection(std::string const& address, std::string const& from = "127.0.0.2");
  ~attack_connection();
  attack_connection(attack_connection const&) = delete;
  attack_connection& operator=(attack_connection const&) = delete;

  /// False: not all of it went in time.
  bool send(std::string_view text);
  /// As much as goes at once.
  std::size_t send_some(std::string_view text);
  /// Bytes beneath TLS.
  void send_raw(std::string_view bytes) const;
  /// The record that would carry this; it is not sent.
  std::string record_of(std::string_view text);
  /// What comes first; empty when nothing comes in time.
  std::string receive(std::chrono::milliseconds within);
  /// Whether the peer has closed.
  bool ended() const;

 private:
  void wait(short events, std::chrono::milliseconds within) const;

  int fd_;
  void* context_ = nullptr;  ///< SSL_CTX
  void* ssl_ = nullptr;      ///< SSL
};

/// The head of a request with a token; `more`: further header lines.
std::string attack_head(std::string const& line, std::string const& token, std::string const& more = {});

// One function for each attack, in files of their names.
attackers partial_records(attack_fixture& of);
attackers hostile_json(attack_fixture& of);
attackers unfinished_bodies(attack_fixture& of);
attackers large_scripts(attack_fixture& of);
attackers connection_hoarders(attack_fixture& of);
attackers talkative_runs(attack_fixture& of);
attackers trigger_flood(attack_fixture& of);
attackers many_secrets(attack_fixture& of);

}  // namespace svc::test
