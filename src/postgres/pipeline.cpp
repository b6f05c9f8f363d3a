#include "postgres/pipeline.hpp"

#include <stdexcept>

namespace svc::postgres {

verdict classify(std::string_view sqlstate) {
  if (sqlstate.size() != 5) return {.unavailable = true, .close = true};
  // A standby, or a primary that was demoted during the session: only a new connection finds the new primary.
  if (sqlstate == "25006") return {.unavailable = true, .close = true};
  // The server's statement_timeout and lock_timeout: the statement is over and the connection is usable.
  if (sqlstate == "57014" || sqlstate == "55P03") return {.unavailable = true, .close = false};
  // This process was silent for too long in a transaction, or the transaction took too long: the server has ended the
  // session.
  if (sqlstate == "25P03" || sqlstate == "25P04") return {.unavailable = true, .close = true};
  // The prepared statement is stale (a migration changed its result) or gone (a pooler reset the session): a new
  // connection prepares it again.
  if (sqlstate == "0A000" || sqlstate == "26000") return {.unavailable = false, .close = true};

  std::string_view const family = sqlstate.substr(0, 2);
  if (family == "53" || family == "58") return {.unavailable = true, .close = false};
  if (family == "08" || family == "57" || family == "XX") return {.unavailable = true, .close = true};
  return {};
}

std::vector<step> const& pipeline::start(std::span<query const> batch, framing around, bool read_only) {
  require(around, batch.empty());
  steps_.clear();
  current_ = 0;
  awaits_end_ = has_failed_ = false;
  current_verdict_ = {};

  bool const opens = around == framing::begins || around == framing::implicit;
  if (opens) read_only_ = read_only;
  if (opens && read_only)
    steps_.push_back({.content = step::kind::begin_reading});
  else if (around == framing::begins)
    steps_.push_back({.content = step::kind::begin});
  // With a pooler, a session's settings would leak to others, so each transaction sets its own.
  if (!prepares_ && opens) steps_.push_back({.content = step::kind::settings});
  for (std::size_t i = 0; i < batch.size(); ++i) add_statement(batch[i], static_cast<int>(i));
  bool const closes = around == framing::implicit && read_only;
  if (around == framing::commits || closes) steps_.push_back({.content = step::kind::commit});
  if (around == framing::rolls_back) steps_.push_back({.content = step::kind::rollback});
  steps_.push_back({.content = step::kind::sync});

  phase_ = phase::busy;
  return steps_;
}

void pipeline::require(framing around, bool empty) const {
  bool fits = false;
  switch (around) {
    case framing::implicit:
    case framing::begins:
      fits = phase_ == phase::ready && !empty;
      break;
    case framing::continues:
      fits = phase_ == phase::open && !empty;
      break;
    case framing::commits:
      fits = phase_ == phase::open;
      break;
    case framing::rolls_back:
      fits = (phase_ == phase::open || phase_ == phase::failed) && empty;
      break;
  }
  if (!fits) throw std::logic_error("postgres: a batch that does not fit the connection's state");
}

/// A write that a read-only transaction of ours refuses says nothing about the server.
verdict pipeline::classify_here(std::string_view sqlstate) const {
  if (read_only_ && sqlstate == "25006") return {.unavailable = true, .close = false};
  return classify(sqlstate);
}

void pipeline::add_statement(query const& query, int index) {
  if (!prepares_ || query.statement.planned_each_time) {
    steps_.push_back({.content = step::kind::direct, .statement = index});
    return;
  }
  auto entry = statements_.find(query.statement.name);
  if (entry == statements_.end()) {
    entry = statements_.emplace(query.statement.name, known_statement{std::string(query.statement.sql)}).first;
    steps_.push_back({.content = step::kind::prepare, .statement = index, .prepared = entry->first.c_str()});
  } else if (entry->second.sql != query.statement.sql) {
    // Nothing of this batch is sent, so the statements that it would have prepared are forgotten.
    std::erase_if(statements_, [](auto const& s) { return !s.second.on_server; });
    throw std::logic_error("postgres: two statements are named " + std::string(query.statement.name));
  }
  steps_.push_back({.content = step::kind::execute, .statement = index, .prepared = entry->first.c_str()});
}

reaction pipeline::on(event const& event) {
  if (phase_ != phase::busy || current_ >= steps_.size()) return break_off();
  if (steps_[current_].content == step::kind::sync) return finish(event);
  if (!awaits_end_) return result(event);
  if (event.content != event::kind::end) return break_off();
  awaits_end_ = false;
  ++current_;
  return reaction::go_on;
}

reaction pipeline::result(event const& event) {
  step const& step = steps_[current_];
  awaits_end_ = true;
  switch (event.content) {
    case event::kind::value:
      // After an error everything up to the Sync is skipped: a value there answers no step of this batch.
      if (has_failed_) return break_off();
      if (step.content == step::kind::prepare) statements_.find(step.prepared)->second.on_server = true;
      return step.content == step::kind::execute || step.content == step::kind::direct ? reaction::keep_rows
                                                                                       : reaction::go_on;
    case event::kind::error:
      if (has_failed_) return break_off();
      has_failed_ = true;
      current_verdict_ = classify_here(event.sqlstate);
      // The connection is lost or useless: its other results are not read.
      if (current_verdict_.close && current_verdict_.unavailable) phase_ = phase::broken;
      return reaction::keep_error;
    case event::kind::aborted:
      return has_failed_ ? reaction::go_on : break_off();
    case event::kind::end:
    case event::kind::sync:
    case event::kind::foreign:
      break;
  }
  return break_off();
}

reaction pipeline::finish(event const& event) {
  if (event.content == event::kind::error && !has_failed_) {
    // The implicit transaction commits at the Sync, so a deferred constraint is checked only here. The Sync result
    // itself still follows, with or without an end marker before it.
    has_failed_ = awaits_end_ = true;
    current_verdict_ = classify_here(event.sqlstate);
    if (current_verdict_.close && current_verdict_.unavailable) phase_ = phase::broken;
    return reaction::keep_error;
  }
  if (event.content == event::kind::end && awaits_end_) {
    awaits_end_ = false;
    return reaction::go_on;
  }
  if (event.content != event::kind::sync) return break_off();
  // A Parse that failed or was skipped created no statement.
  if (has_failed_) std::erase_if(statements_, [](auto const& s) { return !s.second.on_server; });
  current_ = steps_.size();
  switch (event.state) {
    case event::transaction::none:
      phase_ = phase::ready;
      break;
    case event::transaction::open:
      phase_ = phase::open;
      break;
    case event::transaction::failed:
      phase_ = phase::failed;
      break;
    case event::transaction::unknown:
      return break_off();
  }
  if (current_verdict_.close) phase_ = phase::broken;
  return reaction::done;
}

void pipeline::abandon() {
  if (phase_ == phase::busy) phase_ = phase::broken;
}

reaction pipeline::break_off() {
  phase_ = phase::broken;
  return reaction::close;
}

}  // namespace svc::postgres
