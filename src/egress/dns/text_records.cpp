#include "svc/egress/dns/text_records.hpp"

#include "svc/egress/host.hpp"

#include <algorithm>
#include <utility>

namespace svc::egress {

task<std::optional<std::vector<std::string>>> read_text_records(resolver& names, std::string name, deadline until) {
  auto const wanted = parse_dns_name(name);
  if (!wanted) co_return std::nullopt;
  auto got = co_await names.query(*wanted, record_type::txt, until);
  if (got.error == failure::dns_not_found) co_return std::vector<std::string>{};
  if (got.error != failure::none) co_return std::nullopt;
  std::vector<std::string> out;
  for (auto& record : got.answer.records) out.push_back(std::move(record.text));
  std::ranges::sort(out);
  co_return out;
}

}  // namespace svc::egress
