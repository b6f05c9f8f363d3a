#pragma once

#include <libpq-fe.h>

#include <memory>

namespace svc::postgres {

struct finish_connection {
  void operator()(PGconn* c) const { PQfinish(c); }
};
struct clear_result {
  void operator()(PGresult* r) const { PQclear(r); }
};
using connection_handle = std::unique_ptr<PGconn, finish_connection>;
using result_handle = std::unique_ptr<PGresult, clear_result>;

}  // namespace svc::postgres
