#include "svc/postgres/advice.hpp"

#include <doctest/doctest.h>

#include <string>

using svc::postgres::with_advice;

TEST_CASE("an error of a connection is one line, and has advice for known causes") {
  CHECK(with_advice("") == "");
  CHECK(with_advice("first\n\tsecond\n") == "first; second");
  CHECK(with_advice("connection to server failed: Connection refused\n\tIs the server running?\n") ==
        "connection to server failed: Connection refused; Is the server running?: start PostgreSQL there, or correct "
        "host and port in the URL");
  CHECK(
      with_advice("connection to server at \"db\" (10.0.0.1), port 5432 failed: Connection refused\n\tIs the server "
                  "running on that host and accepting TCP/IP connections?\n") ==
      "connection to server at \"db\" (10.0.0.1), port 5432 failed: Connection refused: start PostgreSQL there, or "
      "correct host and port in the URL");
  // libpq tries each address of a name, each with TLS and without.
  std::string const six = "connection to server at \"db\" (::1), port 5432", four =
                                                                                 "connection to server at \"db\" "
                                                                                 "(127.0.0.1), port 5432";
  std::string const fatal = " failed: FATAL:  password authentication failed for user \"svc\"\n";
  CHECK(with_advice(six + fatal + six + fatal + four + fatal + four + fatal) ==
        six + ", " + four +
            " failed: FATAL:  password authentication failed for user \"svc\": correct the user or the "
            "password in the URL");
  CHECK(with_advice(six + " failed: Connection refused\n\tIs it running?\n" + four + fatal)
            .starts_with(six + " failed: Connection refused; Is it running?; " + four + " failed: FATAL:"));
  struct {
    char const *error, *advice;
  } const table[] = {
      {"failed: SSL error: certificate verify failed\n", "`sslrootcert`"},
      {"failed: server certificate for \"db\" does not match host name \"localhost\"\n", "a name of the certificate"},
      {"failed: root certificate file \"/none\" does not exist\nEither provide the file", "name a readable file"},
      {"failed: server does not support SSL, but SSL was required\n", "`sslmode`"},
      {"failed: FATAL:  unsupported startup parameter: options\n", "`postgres.prepared_statements = false`"},
      {"failed: FATAL:  role \"nobody\" does not exist\n", "CREATE ROLE"},
      {"failed: FATAL:  database \"none\" does not exist\n", "CREATE DATABASE"},
      {"could not translate host name \"db\" to address: Name or service not known\n", "correct the host"},
      {"failed: FATAL:  no pg_hba.conf entry for host \"10.0.0.1\"\n", "pg_hba.conf of the server"},
  };
  for (auto const& row : table) {
    CAPTURE(row.error);
    CHECK(with_advice(row.error).find(row.advice) != std::string::npos);
  }
}
