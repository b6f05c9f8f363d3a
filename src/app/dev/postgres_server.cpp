#include "app/dev/stores.hpp"
#include "svc/core/random.hpp"

#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace svc::app::dev {

namespace fs = std::filesystem;

namespace {

constexpr milliseconds postgres_start_patience{60'000};
constexpr milliseconds postgres_stop_patience{20'000};
constexpr milliseconds postgres_pause{20};
constexpr milliseconds connect_timeout{2000};

int to_version(std::string const& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The directory of the binaries: of the version that made the data, else of the newest.
std::string find_binaries(std::string const& data) {
  int wanted = 0;
  if (auto const made_by = read_file(data + "/PG_VERSION")) wanted = to_version(*made_by);
  int best = 0;
  std::error_code ec;
  for (auto const& entry : fs::directory_iterator("/usr/lib/postgresql", ec)) {
    int const version = to_version(entry.path().filename().string());
    if (::access((entry.path() / "bin/initdb").c_str(), X_OK) != 0) continue;
    if (version == wanted || (wanted == 0 && version > best)) best = version;
  }
  if (best != 0) return "/usr/lib/postgresql/" + std::to_string(best) + "/bin";
  if (auto const found = find_in_path("initdb"); !found.empty()) return fs::path(found).parent_path().string();
  throw std::runtime_error(wanted == 0 ? "PostgreSQL's server is not installed (Debian: postgresql-15)"
                                       : "PostgreSQL " + std::to_string(wanted) + ", which made " + data +
                                             ", is not installed");
}

/// Made under another name and then renamed, so that an interrupted initdb leaves nothing that looks like data. What
/// it did leave is removed; its helpers may still write there for a moment, so each attempt takes a new name.
void make_cluster(data_directory const& where, std::string const& binaries, std::string const& data) {
  auto const prefix = fs::path(data).filename().string() + ".new.";
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(fs::path(data).parent_path()))
    if (entry.path().filename().string().starts_with(prefix)) fs::remove_all(entry.path(), ignored);
  auto const fresh = fs::path(data).parent_path().string() + "/" + prefix + random_alphanumeric(8);
  where.make_private(fresh);
  auto const log = where.file("log/initdb.log");
  // argv[0] is the whole path: PostgreSQL's programs look for each other next to it, and Debian does not put them in
  // PATH.
  int const code = run_to_end({.program = binaries + "/initdb",
                               .arguments = {binaries + "/initdb", "-D", fresh, "-U", postgres_server::owner, "-A",
                                             "trust", "-E", "UTF8", "--locale=C"},
                               .as = where.user(),
                               .log_file = log,
                               .death_signal = SIGKILL});
  if (code != 0) throw std::runtime_error("initdb failed: " + log_tail(log));
  fs::rename(fresh, data);
}

child_process launch(data_directory const& where) {
  auto const data = where.store("postgres");
  auto const binaries = find_binaries(data);
  if (!fs::exists(data)) make_cluster(where, binaries, data);
  std::vector<std::string> arguments{binaries + "/postgres", "-D", data, "-k", where.sockets(), "-p", "5432"};
  std::vector<std::string> settings{"listen_addresses=",   "unix_socket_permissions=0700",
                                    "max_connections=200", "shared_buffers=64MB",
                                    "max_wal_size=256MB",  "timezone=UTC",
                                    "log_timezone=UTC",    "log_min_messages=warning",
                                    "log_lock_waits=on",   "dynamic_shared_memory_type=mmap"};
  // Tests count statements with it; it is part of Debian's server package.
  if (fs::exists(fs::path(binaries).parent_path() / "lib/pg_stat_statements.so"))
    settings.emplace_back("shared_preload_libraries=pg_stat_statements");
  for (auto const& setting : settings) {
    arguments.emplace_back("-c");
    arguments.push_back(setting);
  }
  // SIGINT is PostgreSQL's fast shutdown.
  return child_process({.program = binaries + "/postgres",
                        .arguments = arguments,
                        .as = where.user(),
                        .log_file = where.file("log/postgres.log"),
                        .death_signal = SIGINT});
}

std::string percent_encoded(std::string const& text) {
  constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  for (char const c : text) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_';
    auto const code = static_cast<unsigned char>(c);
    if (plain)
      out += c;
    else
      out.append({'%', hex[code >> 4], hex[code & 15]});
  }
  return out;
}

}  // namespace

postgres_server::postgres_server(data_directory const& where) : sockets_(where.sockets()), process_(launch(where)) {
  auto const until = deadline::after(postgres_start_patience);
  for (;;) {
    try {
      database_session(secret_string(url(owner, "postgres")), connect_timeout);
      return;
    } catch (database_error const& e) {
      if (process_.wait(postgres_pause) || until.passed())
        throw std::runtime_error("PostgreSQL did not start: " + log_tail(where.file("log/postgres.log")) + " " +
                                 e.what());
    }
  }
}

postgres_server::~postgres_server() {
  process_.stop(SIGINT, postgres_stop_patience);
}

std::string postgres_server::url(std::string const& role, std::string const& database) const {
  return "postgresql://" + role + "@/" + database + "?host=" + percent_encoded(sockets_);
}

std::string find_in_path(std::string const& name) {
  char const* const path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    auto const candidate = directory + "/" + name;
    if (directory.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

std::string log_tail(std::string const& path) {
  constexpr std::size_t most = 1000;
  auto text = read_file(path).value_or("");
  while (text.ends_with('\n')) text.pop_back();
  return text.size() <= most ? text : "..." + text.substr(text.size() - most);
}

}  // namespace svc::app::dev
