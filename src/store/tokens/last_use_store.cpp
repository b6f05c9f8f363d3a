#include "svc/store/last_use_store.hpp"

#include "store/sql/settled.hpp"

#include <algorithm>

namespace svc::store {

namespace {

constexpr postgres::statement write_last_use{"last_use_write", R"(
INSERT INTO token_last_use AS held (token_id, used_at, ip)
SELECT token, to_timestamp(at / 1000000.0), ip
  FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS used (token, at, ip) ORDER BY token
    ON CONFLICT (token_id) DO UPDATE SET used_at = excluded.used_at, ip = excluded.ip
 WHERE held.used_at < excluded.used_at)"};

}  // namespace

task<> last_use_store::write(std::vector<last_use> batch, deadline until) {
  std::ranges::sort(batch, {}, &last_use::token);
  std::vector<uuid> tokens;
  std::vector<std::int64_t> times;
  std::vector<std::string> addresses;
  for (auto const& use : batch) {
    tokens.push_back(use.token);
    times.push_back(use.at.micros);
    addresses.push_back(use.ip);
  }
  settled(co_await db_.run(postgres::query{write_last_use, postgres::parameters(tokens, times, addresses)}, until));
}

}  // namespace svc::store
