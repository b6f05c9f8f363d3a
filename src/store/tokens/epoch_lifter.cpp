#include "svc/store/epoch_lifter.hpp"

#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {

namespace {

constexpr postgres::statement lift_epoch{"subject_lift", R"(
UPDATE subjects
   SET epoch = greatest(epoch, $2::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
 WHERE id = $1)"};

}  // namespace

task<bool> epoch_lifter::lift(uuid subject, std::int64_t above, deadline until) {
  log::error("the database is behind an epoch that Redis holds; lifting the subject",
             {{"subject", subject.to_string()}, {"epoch", above}});
  try {
    auto const done = co_await db_.run(postgres::query{lift_epoch, postgres::parameters(subject, above)}, until);
    co_return done && done->affected() == 1;
  } catch (unavailable const& gone) {
    log::error("lifting a subject failed", {{"reason", gone.what()}});
  }
  co_return false;
}

}  // namespace svc::store
