#include "app/admin/session.hpp"

#include <boost/asio/co_spawn.hpp>

#include <iostream>

namespace svc::app::admin {

namespace {

constexpr std::chrono::seconds redis_patience{3};

void warn(std::string const& sentence) {
  std::cerr << "svcd: warning: " + sentence + "\n";
}

postgres::settings one_connection(configuration const& with) {
  postgres::settings how = with.to_postgres_settings();
  how.size = 1;
  // Nobody waits for the answer by a request's deadline.
  how.lock_timeout = how.statement_timeout;
  return how;
}

}  // namespace

session::session(configuration const& with)
    : db(io, one_connection(with)),
      redis(io, with.to_redis_settings(), auth::scripts()),
      changes(redis, outbox, auth::longest_hold(with.to_redis_settings())),
      master_key_file(with.master_key_file) {
  db.start();
  redis.start();
}

session::~session() {
  redis.stop();
  db.stop();
}

answer session::run_blocking(task<answer> what) {
  bool over = false;
  std::exception_ptr failure;
  answer made = boost::json::value();
  asio::co_spawn(io, std::move(what), [&](std::exception_ptr e, answer a) {
    over = true;
    failure = e;
    made = std::move(a);
  });
  while (!over && io.run_one() > 0) {
  }
  if (failure) std::rethrow_exception(failure);
  return made;
}

task<> session::publish(std::vector<subject_epoch> touched) {
  if (touched.empty() || co_await changes.publish(std::move(touched))) co_return;
  warn("Redis is out of reach. What was changed is stored and in force; the running service tells Redis later.");
}

task<> session::announce(std::vector<sha256_digest> created) {
  if (co_await redis.wait_connected(deadline::after(redis_patience)))
    co_await changes.announce(std::move(created));
  else
    warn("Redis is out of reach. The token is stored; if it was tried before, it may be refused for 10 seconds.");
}

}  // namespace svc::app::admin
