#include "support/mail_servers.hpp"

#include "support/free_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace svc::test {

namespace {

bool listens(int port) {
  int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool const connected = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return connected;
}

std::string text_of_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr char const* configuration = R"(table later { "later@mail.test" }
table never { "never@mail.test" }
filter "later" phase rcpt-to match rcpt-to <later> reject "451 4.7.1 come back"
filter "never" phase rcpt-to match rcpt-to <never> reject "550 5.1.1 nobody"
filter "both" chain { "later", "never" }
listen on 127.0.0.1 port PORT hostname mail.test filter "both" TLS
action "keep" mda "cat > DIR/mails/.$$; mv DIR/mails/.$$ DIR/mails/$$" virtual { "@" = nobody } user nobody
match from any for domain "mail.test" action "keep"
)";

/// The password `hunter2` in the format of crypt(3).
constexpr char const* login =
    "svc $6$ofthetests$KtmIGP.F9GHoDm6sK7aw7bw/cRZz.2f5nsJnHLdrpG2JEkgmYhUjc7j21SUAOeMwJ9stsPnjAUuSvKBT08Iz10\n";
constexpr char const* certified = R"(table logins file:DIR/logins
pki mail.test cert "DIR/cert.pem"
pki mail.test key "DIR/key.pem"
)";

std::string with(std::string text, std::string const& name, std::string const& value) {
  for (auto position = text.find(name); position != std::string::npos; position = text.find(name))
    text.replace(position, name.size(), value);
  return text;
}

}  // namespace

mail_process::~mail_process() {
  if (pid_ <= 0) return;
  // The signal also reaches its children, because it leads its own process group.
  ::kill(-pid_, SIGTERM);
  ::kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool mail_process::start(std::vector<std::string> command) {
  std::vector<char*> words;
  for (auto& text : command) words.push_back(text.data());
  words.push_back(nullptr);
  auto const log = files_.path() + "/log";
  pid_ = fork();
  if (pid_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (freopen(log.c_str(), "w", stderr) == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) _exit(126);
    execvp(words.front(), words.data());
    _exit(127);
  }
  setpgid(pid_, pid_);
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!listens(port_)) {
    bool const ended = waitpid(pid_, nullptr, WNOHANG) == pid_;
    if (ended) pid_ = 0;
    if (ended || std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

mail_sink::mail_sink(options options) {
  port_ = free_port();
  out_ = files_.path() + "/mails";
  boost::json::object said{{"port", port_}, {"out", out_}, {"smtps", options.smtps}};
  if (options.tls != nullptr) {
    said["cert"] = files_.write("cert.pem", options.tls->certificate);
    said["key"] = files_.write("key.pem", options.tls->key);
  }
  if (!options.auth.empty()) said["auth"] = options.auth;
  if (!start({"/usr/bin/python3", SVC_MAIL_SINK, boost::json::serialize(said)}))
    throw std::runtime_error("mail_sink.py did not start: " + text_of_file(files_.path() + "/log"));
}

std::vector<boost::json::value> mail_sink::mails() const {
  std::ifstream file(out_);
  std::vector<boost::json::value> out;
  for (std::string line; std::getline(file, line);) out.push_back(boost::json::parse(line));
  return out;
}

opensmtpd::opensmtpd(throwaway_ca const* tls) {
  port_ = free_port();
  std::string text = configuration;
  if (tls != nullptr) {
    text = with(certified + text, "TLS", "tls-require pki mail.test auth <logins>");
    files_.write("cert.pem", tls->certificate);
    files_.write("logins", login);
    chmod(files_.write("key.pem", tls->key).c_str(), 0600);
  }
  std::filesystem::create_directory(files_.path() + "/mails");
  chmod(files_.path().c_str(), 0755);
  chmod((files_.path() + "/mails").c_str(), 0777);
  text = with(with(with(text, "TLS", ""), "PORT", std::to_string(port_)), "DIR", files_.path());
  auto const file = files_.write("smtpd.conf", text);
  auto const key =
      tls == nullptr ? "" : "LD_PRELOAD=" SVC_SERVED_KEY " TEST_SERVED_KEY=" + files_.path() + "/key.pem ";
  runs_ = start({"unshare", "-m", "sh", "-c",
                 "mount -t tmpfs none /run && mkdir -p /var/spool && mount -t tmpfs none /var/spool && "
                 "mkdir -m 711 /var/spool/smtpd && " +
                     key + "exec smtpd -d -f " + file});
}

std::vector<std::string> opensmtpd::delivered(std::size_t count) const {
  std::vector<std::string> out;
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (out.size() < count && std::chrono::steady_clock::now() < give_up) {
    out.clear();
    for (auto const& entry : std::filesystem::directory_iterator(files_.path() + "/mails"))
      if (!entry.path().filename().string().starts_with('.')) out.push_back(text_of_file(entry.path()));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return out;
}

}  // namespace svc::test
