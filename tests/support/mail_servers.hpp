#pragma once

#include "support/temporary_directory.hpp"
#include "support/throwaway_ca.hpp"

#include <sys/types.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace svc::test {

/// A process that listens on a port of 127.0.0.1; killed by the destructor.
class mail_process {
 public:
  mail_process() = default;
  ~mail_process();
  mail_process(mail_process const&) = delete;
  mail_process& operator=(mail_process const&) = delete;

  int port() const { return port_; }

 protected:
  /// Waits until the process listens. Returns false if it ended before.
  bool start(std::vector<std::string> command);

  temporary_directory files_;
  int port_ = 0;

 private:
  pid_t pid_ = 0;
};

/// Runs `mail_sink.py`.
class mail_sink : public mail_process {
 public:
  struct options {
    throwaway_ca const* tls = nullptr;
    bool smtps = false;
    std::string auth{};  ///< "user:password"
  };
  explicit mail_sink(options options);
  mail_sink() : mail_sink(options()) {}

  /// Returns the mails that the sink accepted, in order.
  std::vector<boost::json::value> mails() const;

 private:
  std::string out_;
};

/// OpenSMTPD with its own queue, in a namespace of mounts, because its paths are built in. It takes mail for
/// `mail.test`, but answers 451 for `later@` and 550 for `never@`. With a certificate it requires STARTTLS and a
/// login: `svc`, `hunter2` (support/served_key.cpp).
class opensmtpd : public mail_process {
 public:
  explicit opensmtpd(throwaway_ca const* tls = nullptr);
  /// Returns false if no such namespace can be made.
  bool runs() const { return runs_; }
  /// Returns the mails that its queue has delivered; waits for `count` of them.
  std::vector<std::string> delivered(std::size_t count) const;

 private:
  bool runs_ = false;
};

}  // namespace svc::test
