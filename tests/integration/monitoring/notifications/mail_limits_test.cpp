// Tests the limits of mail: numbers over all projects and instances, recipients that the operator allows, and turns
// of projects.
#include "delivery_fixture.hpp"

#include "support/together.hpp"
#include "svc/monitoring/notifications/mail_admission.hpp"

#include <atomic>
#include <set>

using namespace svc;
using namespace svc::test;

namespace {

using addresses = std::vector<std::string>;

struct mailing : telling_shop {
  uuid make_mailbox(addresses const& addresses, std::string const& called = "mail") {
    std::string list;
    for (auto const& each : addresses) list += (list.empty() ? "\"" : ",\"") + each + "\"";
    return wait(providers.create(as_ed(), {called, "email", true, R"({"to":[)" + list + "]}", 0}, soon()))->id;
  }
  std::vector<bool> admit(addresses const& addresses, store::mail_limits most, std::optional<uuid> id = {},
                          std::optional<uuid> message = {}) {
    return wait(mails.admit(id.value_or(project), message, addresses, most, soon()));
  }
  /// Returns how many of `count` mails to the address are admitted, one after the other.
  int admitted(int count, std::string const& output, store::mail_limits most, std::optional<uuid> id = {}) {
    int out = 0;
    for (int i = 0; i < count; ++i) out += admit({output}, most, id).front() ? 1 : 0;
    return out;
  }
  uuid other() { return elsewhere().project; }
  std::int64_t address_rows() { return number({{"address_rows", "SELECT count(*) FROM address_mails"}}); }

  store::mail_store mails{pool};
};

/// A mail server without a network: it counts the mails that it accepted, and can refuse mail for now.
struct counting_receiver {
  notifications::message_sender make_sender() {
    return [this](notifications::provider_config config, notifications::message message, unsigned number,
                  std::vector<notifications::settled_recipient> settled) {
      return take(this, std::move(config), std::move(message), number, std::move(settled));
    };
  }
  static task<notifications::attempt> take(counting_receiver* receiver, notifications::provider_config config,
                                           notifications::message message, unsigned /*number*/,
                                           std::vector<notifications::settled_recipient> settled) {
    notifications::attempt out{
        .came = {.state = notifications::fate::taken, .cause = notifications::reason::delivered}};
    if (receiver->busy) {
      out.came = {.state = notifications::fate::retry, .cause = notifications::reason::refused, .status = 451};
      co_return out;
    }
    receiver->projects.push_back(message.project.id);
    for (auto const& text : std::get<notifications::email_config>(config).texts) {
      if (std::ranges::find(settled, text, &notifications::settled_recipient::address) != settled.end()) continue;
      receiver->got.push_back(text);
      out.settled.push_back({text, true});
    }
    co_return out;
  }
  addresses got{};
  std::vector<uuid> projects{};
  bool busy = false;
};

struct posting : mailing {
  notifications::notifier::parts parts(std::int64_t per_second = 1'000) {
    return {.io = io,
            .db = pool,
            .providers = providers,
            .send =
                [this](auto target, auto message, unsigned number, auto settled) {
                  return admission->send(std::move(target), std::move(message), number, std::move(settled));
                },
            .counters = counters,
            .loops = {loops, io, "0", [] { return true; }},
            .mails_per_second = per_second};
  }
  void admit_with(store::mail_limits most, notifications::recipient_policy allowed = {}) {
    admission.emplace(notifications::mail_admission::parts{.mails = mails,
                                                           .send = sink.make_sender(),
                                                           .counters = counters,
                                                           .most = most,
                                                           .allowed = std::move(allowed)});
  }
  void pass(notifications::notifier& notifier) {
    wait(notifier.look());
    wait(notifier.emptied(soon()));
  }
  std::string fates() {
    return words("SELECT status || '/' || coalesce(error_reason, '-') FROM alerts ORDER BY created_at, id");
  }

  counting_receiver sink;
  metrics counters;
  background_loops loops{counters};
  std::optional<notifications::mail_admission> admission{};
};

}  // namespace

TEST_CASE("a project has a limit of mails per day, counted by recipient, and a new one tomorrow") {
  mailing db;
  store::mail_limits const most{.per_day = 5, .per_address = 0};
  CHECK(db.admit({"a@x.test", "b@x.test", "c@x.test"}, most) == std::vector<bool>{true, true, true});
  // The store counts addresses in the order of their hashes.
  CHECK(std::ranges::count(db.admit({"c@x.test", "b@x.test", "a@x.test"}, most), true) == 2);
  CHECK(db.admit({"d@x.test"}, most) == std::vector<bool>{false});
  CHECK(db.admit({"d@x.test"}, most, db.other()) == std::vector<bool>{true});
  db.as_owner("UPDATE project_mails SET day = day - 1");
  CHECK(db.admitted(9, "a@x.test", most) == 5);
  CHECK(db.admitted(1, "a@x.test", {.per_day = 0, .per_address = 0}) == 1);
}

TEST_CASE("an address has a limit of mails per hour for all projects, and no project takes the others' share") {
  mailing db;
  store::mail_limits const most{.per_day = 0, .per_address = 12};
  CHECK(db.admitted(20, "a@x.test", most) == 6);
  // Spellings of one mailbox are one address.
  CHECK(db.admitted(1, "A@x.TEST", most) == 0);
  CHECK(db.admitted(1, "a+alias@x.test", most) == 0);
  CHECK(db.admitted(20, "a@x.test", most, db.other()) == 3);
  CHECK(db.admitted(1, "b@x.test", most) == 1);
  db.as_owner("UPDATE address_mails SET hour = hour - interval '1 hour'");
  CHECK(db.admitted(20, "a@x.test", most) == 6);
}

TEST_CASE("refused mails leave no rows, and the rows of past hours are deleted") {
  mailing db;
  store::mail_limits const most{.per_day = 3, .per_address = 2};
  addresses many;
  for (int i = 0; i < 20; ++i) many.push_back("n" + std::to_string(i) + "@x.test");
  for (int i = 0; i < 5; ++i) db.admit(many, most);
  CHECK(db.address_rows() == 2 * 3);
  CHECK(db.wait(db.mails.delete_old(100, db.soon())) == 0);
  db.as_owner("UPDATE address_mails SET hour = hour - interval '1 hour'");
  CHECK(db.wait(db.mails.delete_old(4, db.soon())) == 4);
  CHECK(db.wait(db.mails.delete_old(4, db.soon())) == 2);
  CHECK(db.address_rows() == 0);
}

TEST_CASE("numbers of mails are exact however many instances ask at once") {
  mailing db;
  std::atomic<int> day = 0, address = 0;
  auto const here = db.project, there = db.other();
  together(8, [&](int i) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url()), .size = 2});
    pool.start();
    store::mail_store mails(pool);
    for (int n = 0; n < 20; ++n) {
      // Both orders of the addresses occur, so that two transactions could wait for each other.
      addresses target{"p@x.test", "q@x.test"};
      if (n % 2 == 0) std::swap(target[0], target[1]);
      auto const asked = [&](uuid project, addresses const& addresses, store::mail_limits most) {
        auto const got =
            run_task(io, mails.admit(project, {}, addresses, most, deadline::after(std::chrono::seconds(20))));
        return static_cast<int>(std::ranges::count(got, true));
      };
      day += asked(here, {"u" + std::to_string(i) + "-" + std::to_string(n) + "@x.test"},
                   {.per_day = 50, .per_address = 0});
      address += asked(there, target, {.per_day = 0, .per_address = 16});
    }
  });
  CHECK(day == 50);
  CHECK(address == 2 * 8);
}

TEST_CASE("a message counts each recipient once for all its attempts") {
  posting db;
  db.admit_with({.per_day = 3, .per_address = 0});
  auto const provider = db.make_mailbox({"a@x.test", "b@x.test"});
  auto const monitor = db.make_notified({provider}).id;
  notifications::notifier notifier(db.parts());
  db.sink.busy = true;
  db.fails(monitor);
  for (int attempt = 0; attempt < 3; ++attempt) {
    db.pass(notifier);
    db.later("10 min");
  }
  CHECK(db.number({{"project_mails", "SELECT mails FROM project_mails"}}) == 2);
  // Recipients that are added meanwhile count, as far as there is room.
  db.as_owner(R"(UPDATE notification_providers SET config = '{"to":["a@x.test","b@x.test","c@x.test","d@x.test"]}')");
  db.sink.busy = false;
  db.pass(notifier);
  CHECK(db.sink.got.size() == 3);
  CHECK(db.fates() == "sent/mail_limit_reached");
  CHECK(db.number({{"project_mails", "SELECT mails FROM project_mails"}}) == 3);
}

TEST_CASE("a mail that no limit has room for is given up, and its alert says why") {
  posting db;
  db.admit_with({.per_day = 1, .per_address = 0});
  auto const monitor = db.make_notified({db.make_mailbox({"a@x.test"})}).id;
  notifications::notifier notifier(db.parts());
  db.fails(monitor);
  db.pass(notifier);
  db.recovers(monitor);
  db.later("1 min");
  db.pass(notifier);
  CHECK(db.sink.got == addresses{"a@x.test"});
  CHECK(db.fates() == "sent/- failed/mail_limit_reached");
  CHECK(db.words("SELECT last_error_reason FROM notification_providers") == "mail_limit_reached");
  CHECK(db.counters.expose().find(R"(svc_mail_recipients_left_out_total{reason="mail_limit_reached"} 1)") !=
        std::string::npos);
}

TEST_CASE("a recipient that the operator does not allow gets no mail, also of a provider from before") {
  posting db;
  db.as_owner("UPDATE users SET email = 'Ada@Acme.test' WHERE id = '" + db.ada.to_string() + "'");
  db.admit_with({}, notifications::recipient_policy({"members", "example.org"}));
  auto const monitor = db.make_notified({db.make_mailbox({"x@else.test", "x@example.org", "ada@acme.test"}, "some"),
                                         db.make_mailbox({"y@else.test"}, "none")})
                           .id;
  notifications::notifier notifier(db.parts());
  db.fails(monitor);
  db.pass(notifier);
  CHECK(std::set<std::string>(db.sink.got.begin(), db.sink.got.end()) ==
        std::set<std::string>{"x@example.org", "ada@acme.test"});
  CHECK(db.words("SELECT provider_name || ':' || status || '/' || error_reason FROM alerts"
                 " WHERE type = 'monitor_failure' ORDER BY provider_name") ==
        "none:failed/recipient_not_allowed some:sent/recipient_not_allowed");
  // A user who leaves the project is no member any more.
  db.as_owner("DELETE FROM project_members WHERE user_id = '" + db.ada.to_string() +
              "';"
              "DELETE FROM organization_members WHERE user_id = '" +
              db.ada.to_string() + "'");
  CHECK(db.wait(db.mails.members_among(db.project, {"ada@acme.test"}, db.soon())).empty());
}

TEST_CASE("a project whose mails wait by the hundred lets another project's mail through at its next turn") {
  posting db;
  db.admit_with({.per_day = 0, .per_address = 0});
  auto const alert_of_all = [&](std::string const& project, std::string const& address) {
    db.as_owner(
        "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number,"
        " provider_id, provider_name, status, created_at) SELECT gen_random_uuid(), project_id,"
        " 'provider_failing', 'provider', id, 'x', id, 1, id, name, 'pending', " +
        address + " FROM notification_providers WHERE project_id = '" + project + "'");
  };
  auto const here = db.project, there = db.other();
  for (int i = 0; i < 60; ++i) db.make_mailbox({"a" + std::to_string(i) + "@x.test"}, "n" + std::to_string(i));
  db.wait(db.providers.create(db.elsewhere(), {"one", "email", true, R"({"to":["b@x.test"]})"}, db.soon()));
  alert_of_all(here.to_string(), "now() - interval '1 min'");
  db.wait(db.queue.wake(db.soon()));
  alert_of_all(there.to_string(), "now()");
  db.wait(db.queue.wake(db.soon()));
  // A minute's arrears: the first project's providers have all been due for longer.
  db.as_owner(
      "UPDATE provider_queue q SET due_at = now() - interval '1 min' FROM notification_providers p"
      " WHERE p.id = q.provider_id AND p.project_id = '" +
      here.to_string() + "'");
  notifications::notifier notifier(db.parts(1));
  for (auto const until = db.soon(); db.sink.projects.size() < 2 && !until.passed();) {
    db.pass(notifier);
    db.io.restart();
    db.io.run_for(milliseconds(100));
  }
  CHECK(db.sink.projects == std::vector<uuid>{here, there});
}
