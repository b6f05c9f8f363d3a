#include "svc/postgres/advice.hpp"

#include <algorithm>
#include <string_view>

namespace svc::postgres {

namespace {

struct known_error {
  std::string_view part;  ///< of libpq's or the server's words
  std::string_view advice;
};

constexpr known_error known_errors[] = {
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
    {"no pg_hba.conf entry", "let this address, user and database in by pg_hba.conf of the server"},
};

}  // namespace

std::string with_advice(std::string error) {
  while (!error.empty() && (error.back() == '\n' || error.back() == ' ')) error.pop_back();
  std::string line;
  for (char const c : error)
    if (c == '\n')
      line += "; ";
    else if (c != '\t')
      line += c;
  auto const known = std::find_if(std::begin(known_errors), std::end(known_errors),
                                  [&](known_error const& one) { return line.find(one.part) != line.npos; });
  if (known != std::end(known_errors)) line += ": " + std::string(known->advice);
  return line;
}

}  // namespace svc::postgres
