#pragma once

#include "support/free_port.hpp"
#include "support/temporary_directory.hpp"
#include "support/throwaway_ca.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace svc::test {

/// Debian's nginx, a private process that answers with what it was asked. May not listen yet when this returns.
/// `listen`: what follows the address, such as "ssl http2"; empty: plain HTTP.
class nginx {
 public:
  nginx(throwaway_ca const& authority, std::string const& listen, std::string const& versions)
      : port_(free_port()), secure_(listen.starts_with("ssl")) {
    auto const text = "daemon off; master_process off; pid " + files_.path() +
                      "/pid; error_log stderr crit; events {} http { access_log off; client_body_temp_path " +
                      files_.path() + "/1; proxy_temp_path " + files_.path() + "/2; fastcgi_temp_path " +
                      files_.path() + "/3; uwsgi_temp_path " + files_.path() + "/4; scgi_temp_path " + files_.path() +
                      "/5; server { listen 127.0.0.1:" + std::to_string(port_) + " " + listen + "; ssl_protocols " +
                      versions + "; ssl_certificate " + files_.write("certificate.pem", authority.certificate) +
                      "; ssl_certificate_key " + files_.write("key.pem", authority.key) +
                      "; location / { return 200 \"$request_method $server_protocol $host\"; } } }";
    auto const file = files_.write("configuration", text);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      execl("/usr/sbin/nginx", "nginx", "-p", files_.path().c_str(), "-e", "stderr", "-c", file.c_str(), nullptr);
      _exit(127);
    }
  }
  ~nginx() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  nginx(nginx const&) = delete;
  nginx& operator=(nginx const&) = delete;
  std::string url(std::string const& host) const {
    return (secure_ ? "https://" : "http://") + host + ":" + std::to_string(port_) + "/";
  }

  int port() const { return port_; }

 private:
  temporary_directory files_;
  int port_;
  bool secure_;
  pid_t pid_ = -1;
};

}  // namespace svc::test
