#include "svc/postgres/advice.hpp"

#include "svc/core/fault_words.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace svc::postgres {

namespace {

constexpr fault_advice known_errors[] = {
    {"certificate verify failed",
     "the server's certificate is not issued by the authority in `sslrootcert` of the URL, or has expired: name the "
     "file with its authority there"},
    {"does not match host name",
     "use a name of the certificate as the host in the URL (`hostaddr` may hold the address), or issue a certificate "
     "for this name"},
    {"root certificate file",
     "name a readable file with the authority of the server's certificate in `sslrootcert` of the URL"},
    {"server does not support SSL", "switch on TLS at the server or pooler, or allow plain connections by `sslmode`"},
    {"unsupported startup parameter",
     "this is a pooler: set `postgres.prepared_statements = false`; `svcd migrate` needs a URL of the server itself"},
    {"password authentication failed", "correct the user or the password in the URL"},
    {"no password supplied", "put the password into the URL, or into a file that SVC_POSTGRES_URL_FILE names"},
    {"no pg_hba.conf entry", "admit this address, user and database in pg_hba.conf of the server"},
    {"FATAL:  role \"", "create it (CREATE ROLE NAME LOGIN IN ROLE svc_service), or correct the user in the URL"},
    {"FATAL:  database \"",
     "create it (CREATE DATABASE NAME OWNER OWNER_OF_THE_TABLES), or correct its name in the URL"},
    {"CONNECT privilege", "GRANT CONNECT ON DATABASE to the user of the URL"},
    {"too many clients", "raise max_connections of the server, or lower postgres.pool_per_worker"},
    {"remaining connection slots", "raise max_connections of the server, or lower postgres.pool_per_worker"},
    {"could not translate host name", "correct the host in the URL, or the resolver of this machine"},
    {"No such file or directory", "start PostgreSQL there, or correct the directory of its socket in the URL"},
    {"Connection refused", "start PostgreSQL there, or correct host and port in the URL"},
    {"No route to host", "correct the host in the URL, or the network in between"},
    {"Network is unreachable", "correct the host in the URL, or the network in between"},
    {"timeout expired", "check host and port in the URL, and the firewall in between"},
};

/// One attempt of libpq: "connection to server at "db" (10.0.0.1), port 5432 failed: " and the reason.
struct failed_attempt {
  std::string where;
  std::string reason;
};

constexpr std::string_view failed_word = " failed: ";

std::string without_tabs(std::string_view text) {
  std::string out(text);
  std::erase(out, '\t');
  return out;
}

/// libpq tries each address of a name, and each of them with TLS and without: most attempts fail for the same reason.
std::vector<failed_attempt> attempts_in(std::string_view error) {
  std::vector<failed_attempt> out;
  while (!error.empty()) {
    auto const end = std::min(error.find('\n'), error.size());
    auto const line = error.substr(0, end);
    error.remove_prefix(std::min(end + 1, error.size()));
    auto const split = line.find(failed_word);
    if (line.starts_with("connection to ") && split != line.npos)
      out.push_back({std::string(line.substr(0, split)), without_tabs(line.substr(split + failed_word.size()))});
    else if (out.empty())
      out.push_back({{}, without_tabs(line)});
    else
      out.back().reason += "; " + without_tabs(line);
  }
  return out;
}

/// All places with the same reason, then the reason once.
std::string once_each(std::vector<failed_attempt> const& attempts) {
  std::string out;
  std::vector<std::string> said;
  for (auto const& attempt : attempts) {
    if (std::ranges::find(said, attempt.reason) != said.end()) continue;
    said.push_back(attempt.reason);
    std::vector<std::string> paths;
    for (auto const& same : attempts)
      if (same.reason == attempt.reason && std::ranges::find(paths, same.where) == paths.end())
        paths.push_back(same.where);
    out += out.empty() ? "" : "; ";
    for (auto const& position : paths) out += (&position == &paths.front() ? "" : ", ") + position;
    out += (attempt.where.empty() ? "" : std::string(failed_word)) + attempt.reason;
  }
  return out;
}

}  // namespace

std::string with_advice(std::string error) {
  while (!error.empty() && (error.back() == '\n' || error.back() == ' ')) error.pop_back();
  return svc::with_advice(once_each(attempts_in(error)), known_errors);
}

}  // namespace svc::postgres
