// The pace of mails: the lanes go in their order, and the projects of a lane take turns.
#include "svc/egress/mail/mail_turns.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace svc;
using namespace svc::egress;

namespace {

uuid const red{{1}}, blue{{2}};

struct waiting_mails {
  void ask(std::string name, mail_lane lane, uuid const& project, deadline until) {
    asio::co_spawn(io, note(std::move(name), lane, project, until), asio::detached);
  }
  void ask(std::string name, mail_lane lane, uuid const& project) {
    ask(std::move(name), lane, project, deadline::after(std::chrono::seconds(20)));
  }
  task<> note(std::string name, mail_lane lane, uuid project, deadline until) {
    bool const granted = co_await turns->take(lane, project, until);
    order += (order.empty() ? "" : " ") + name + (granted ? "" : ":no");
  }
  void run() {
    io.restart();
    io.run();
  }

  asio::io_context io{1};
  std::optional<mail_turns> turns{};
  std::string order{};
};

}  // namespace

TEST_CASE("mails start at once as far as the pace allows, and then one by one") {
  waiting_mails mails;
  mails.turns.emplace(mails.io, 10);
  auto const start = steady::now();
  for (int i = 0; i < 13; ++i) mails.ask(std::to_string(i), mail_lane::alert, red);
  mails.io.poll();
  CHECK(mails.order == "0 1 2 3 4 5 6 7 8 9");
  CHECK(mails.turns->waiting() == 3);
  mails.run();
  CHECK(mails.order == "0 1 2 3 4 5 6 7 8 9 10 11 12");
  auto const took = steady::now() - start;
  CHECK(took >= milliseconds(290));
  CHECK(mails.turns->waiting() == 0);
}

TEST_CASE("mails of the service precede alerts, alerts precede pages, and projects of a lane take turns") {
  waiting_mails mails;
  mails.turns.emplace(mails.io, 4);
  for (int i = 0; i < 4; ++i) mails.ask("-", mail_lane::page, red);
  mails.io.poll();
  mails.order.clear();
  for (int i = 0; i < 3; ++i) mails.ask("red" + std::to_string(i), mail_lane::page, red);
  mails.ask("blue0", mail_lane::page, blue);
  mails.ask("alert-red", mail_lane::alert, red);
  mails.ask("alert-blue", mail_lane::alert, blue);
  mails.ask("link", mail_lane::service, uuid{});
  mails.run();
  CHECK(mails.order == "link alert-red alert-blue red0 blue0 red1 red2");
}

TEST_CASE("a mail whose deadline passes, or whose caller is cancelled, gets no turn and costs none") {
  waiting_mails mails;
  mails.turns.emplace(mails.io, 1);
  mails.ask("first", mail_lane::page, red);
  mails.io.poll();
  mails.ask("late", mail_lane::page, red, deadline::after(milliseconds(50)));
  mails.ask("over", mail_lane::page, red, deadline(steady::now() - milliseconds(1)));
  asio::cancellation_signal stop;
  asio::co_spawn(mails.io, mails.note("cancelled", mail_lane::page, blue, deadline::after(std::chrono::seconds(20))),
                 asio::bind_cancellation_slot(stop.slot(), asio::detached));
  mails.io.poll();
  stop.emit(asio::cancellation_type::terminal);
  mails.ask("next", mail_lane::page, blue);
  mails.run();
  CHECK(mails.order == "first over:no cancelled:no late:no next");
}

TEST_CASE("waiting mails end without a turn when the queue is destroyed") {
  waiting_mails mails;
  mails.turns.emplace(mails.io, 1);
  mails.ask("first", mail_lane::page, red);
  mails.ask("second", mail_lane::alert, red);
  mails.io.poll();
  mails.turns.reset();
  mails.run();
  CHECK(mails.order == "first second:no");
}
