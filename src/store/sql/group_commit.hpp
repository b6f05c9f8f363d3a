#pragma once

#include "store/sql/settled.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/pending.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace svc::store {

/// Combines changes into one transaction if they reach a worker in the same iteration of its event loop, or
/// while others are being committed. Each caller gets its own verdict after the COMMIT. One transaction at a time is
/// in flight; its rows are about different things (runs, monitors) and are ordered by them. If the server refuses it
/// because of one row, each row is sent separately.
///
/// `Row` has `about()`, an id, and `size()` in bytes. Worker-local, held by a shared pointer: it outlives its owner
/// while a transaction is in flight; the pool outlives both. A transaction is not cancelled when its callers give up:
/// it runs to its own time limit, and what it commits stays committed.
template <class Row, class Verdict>
class group_commit : public std::enable_shared_from_this<group_commit<Row, Verdict>> {
 public:
  /// Returns a verdict for each row, in order. Throws `unavailable`; then it is unknown what was committed.
  using transaction = task<postgres::outcome<std::vector<Verdict>>> (*)(postgres::pool&, std::vector<Row>, deadline);

  static constexpr std::size_t most_rows = 64;
  static constexpr std::size_t most_bytes = 4UL * 1024 * 1024;  ///< of a transaction; a single row always fits
  static constexpr std::size_t most_waiting = 4096;             ///< more are refused
  static constexpr milliseconds patience{2000};                 ///< time limit of a transaction

  group_commit(postgres::pool& db, transaction transaction) : db_(db), transaction_(transaction) {}

  /// Throws `unavailable` when the database is gone or late, or what the transaction throws for this row.
  task<Verdict> commit(Row row, deadline until) {
    auto const self = this->shared_from_this();
    auto const here = co_await asio::this_coro::executor;
    if (waiting_.size() >= most_waiting) throw unavailable("too many changes are waiting for a commit");
    auto const mine = std::make_shared<pending>(here, std::move(row), until);
    waiting_.push_back(mine);
    // Posted, so that handlers that are ready now run first and their changes join the transaction.
    if (waiting_.size() == 1 && !on_its_way_) asio::post(here, [self, here] { self->depart(here); });
    if (!mine->decided()) co_await mine->over.async_wait(awaiting);
    if (!mine->left) std::erase(waiting_, mine);
    if (mine->failure) std::rethrow_exception(mine->failure);
    if (!mine->verdict) throw unavailable("a change was not committed in time");
    co_return std::move(*mine->verdict);
  }

 private:
  struct pending : svc::pending<Row, Verdict> {
    using svc::pending<Row, Verdict>::pending;
    bool left = false;  ///< it was sent with a transaction
  };
  using pending_list = std::vector<std::shared_ptr<pending>>;

  /// Takes the first waiting row about each thing, as many as fit. The others keep waiting.
  pending_list take() {
    std::set<uuid> taken;
    std::size_t bytes = 0;
    pending_list batch;
    std::deque<std::shared_ptr<pending>> rest;
    for (auto& pending : waiting_) {
      bool const fits = batch.empty() || (batch.size() < most_rows && bytes + pending->row.size() <= most_bytes);
      if (!fits || !taken.insert(pending->row.about()).second) {
        rest.push_back(std::move(pending));
        continue;
      }
      bytes += pending->row.size();
      pending->left = true;
      batch.push_back(std::move(pending));
    }
    waiting_ = std::move(rest);
    std::ranges::sort(batch, {}, [](auto const& pending) { return pending->row.about(); });
    return batch;
  }

  void depart(executor const& here) {
    if (on_its_way_) return;
    auto batch = take();
    if (batch.empty()) return;
    on_its_way_ = true;
    spawn_task(here, send(this->shared_from_this(), std::move(batch)));
  }

  static task<> send(std::shared_ptr<group_commit> self, pending_list batch) {
    std::exception_ptr failure;
    try {
      if (!co_await self->attempt(batch, batch.size() == 1))
        for (auto const& pending : batch) co_await self->attempt({pending}, true);
    } catch (...) {
      failure = std::current_exception();
    }
    // Otherwise nothing would depart any more.
    if (failure) fail_all(batch, failure);
    self->on_its_way_ = false;
    self->depart(co_await asio::this_coro::executor);
  }

  static void fail_all(pending_list const& batch, std::exception_ptr const& failure) {
    log_failure("a shared commit", failure);
    for (auto const& pending : batch)
      if (!pending->decided()) pending->fail(failure);
  }

  /// False: the server refused the rows together; nothing was committed, and no caller has a verdict yet.
  task<bool> attempt(pending_list batch, bool alone) {
    std::vector<Row> rows;
    rows.reserve(batch.size());
    for (auto const& pending : batch) rows.push_back(pending->row);
    std::exception_ptr failed;
    try {
      auto done = co_await transaction_(db_, std::move(rows), deadline::after(patience));
      if (!done && !alone) co_return false;
      if (!done) reject(done.error());
      for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->decide(std::move((*done)[i]));
    } catch (std::exception const&) {
      failed = std::current_exception();
    }
    if (failed)
      for (auto const& pending : batch) pending->fail(failed);
    co_return true;
  }

  postgres::pool& db_;
  transaction transaction_;
  std::deque<std::shared_ptr<pending>> waiting_{};
  bool on_its_way_ = false;
};

}  // namespace svc::store
