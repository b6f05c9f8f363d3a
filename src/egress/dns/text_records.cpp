#include "svc/egress/dns/text_records.hpp"

#include "svc/egress/host.hpp"

#include <algorithm>
#include <utility>

namespace svc::egress {

task<text_lookup> read_text_records(resolver& names, std::string name, deadline until) {
  auto const wanted = parse_dns_name(name);
  if (!wanted) co_return text_lookup{};
  auto got = co_await names.query(*wanted, record_type::txt, until);
  if (got.error == failure::dns_not_found) co_return text_lookup{.texts = std::vector<std::string>{}};
  if (got.error != failure::none)
    co_return text_lookup{.resolver_failed = got.error == failure::resolver_unreachable};
  std::vector<std::string> out;
  for (auto& record : got.answer.records) out.push_back(std::move(record.text));
  std::ranges::sort(out);
  co_return text_lookup{.texts = std::move(out)};
}

}  // namespace svc::egress
