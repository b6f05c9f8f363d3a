#pragma once

#include "attack_fixture.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// A user with an ordinary account, or none, who repeats one action on a separate thread.
class attacker {
 public:
  explicit attacker(std::string name) : name_(std::move(name)) {}
  virtual ~attacker() = default;  ///< must have ended
  attacker(attacker const&) = delete;
  attacker& operator=(attacker const&) = delete;

  void begin();
  void end();
  std::string const& name() const { return name_; }
  /// Number of actions, and number of actions that were refused or broken off.
  std::size_t acts() const { return acts_; }
  std::size_t refused() const { return refused_; }
  /// Text of the last refusal; valid once the attacker has ended.
  std::string const& last_refusal() const { return last_refusal_; }

 protected:
  /// Acts once; an exception counts as refused.
  virtual void act() = 0;
  /// Releases all its resources.
  virtual void leave() {}
  bool over() const { return over_; }
  /// Must be called on its own thread.
  void note_refused(std::string reason) {
    ++refused_;
    last_refusal_ = std::move(reason);
  }
  /// Like the other overload, for an answer.
  void note_refused(answer const& got) { note_refused(std::to_string(got.status) + " " + code_of(got)); }
  /// Sleeps, but not much longer than until the end.
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

/// A TLS client that can do what libraries do not allow.
class attack_connection {
 public:
  /// Does the handshake with ADDR:PORT, from another address than well-behaved clients. Throws if the handshake
  /// fails.
  explicit attack_connection(std::string const& address, std::string const& source = "127.0.0.2");
  ~attack_connection();
  attack_connection(attack_connection const&) = delete;
  attack_connection& operator=(attack_connection const&) = delete;

  /// Returns false if it could not send everything in time.
  bool send(std::string_view text);
  /// Sends as much as possible at once.
  std::size_t send_some(std::string_view text);
  /// Sends bytes below TLS.
  void send_raw(std::string_view bytes) const;
  /// Returns the record that would carry this text, without sending it.
  std::string record_of(std::string_view text);
  /// Returns the first bytes that arrive; empty if none arrive in time.
  std::string receive(std::chrono::milliseconds within);
  /// True if the peer has closed.
  bool ended() const;

 private:
  void wait(short events, std::chrono::milliseconds within) const;

  int fd_;
  void* context_ = nullptr;  ///< SSL_CTX
  void* ssl_ = nullptr;      ///< SSL
};

/// Returns the head of a request with a token; `more` are further header lines.
std::string attack_head(std::string const& line, std::string const& token, std::string const& more = {});

// One function for each attack, each in a file with its name; a test that plays only this attack is there too.
attackers partial_records(attack_fixture& fixture);
attackers hostile_json(attack_fixture& fixture);
attackers unfinished_bodies(attack_fixture& fixture);
attackers large_scripts(attack_fixture& fixture);
attackers connection_hoarders(attack_fixture& fixture);
attackers talkative_runs(attack_fixture& fixture);
attackers trigger_flood(attack_fixture& fixture);
attackers many_secrets(attack_fixture& fixture);
attackers page_flood(attack_fixture& fixture);

}  // namespace svc::test
