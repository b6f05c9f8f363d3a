// Content negotiation by Accept (RFC 9110 12.5.1).
#include "svc/http/headers.hpp"

#include "http/chars.hpp"
#include "svc/core/ascii.hpp"

#include <algorithm>
#include <optional>

namespace svc::http {
namespace {

constexpr int full_weight = 1000;

/// qvalue = "0" ["." 0*3DIGIT] / "1" ["." 0*3"0"], in thousandths.
std::optional<int> read_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int weight = (text[0] - '0') * full_weight;
  int position = 100;
  for (std::size_t i = 2; i < text.size(); ++i, position /= 10) {
    if (!chars::is_kind(chars::digit, text[i])) return std::nullopt;
    weight += (text[i] - '0') * position;
  }
  return weight <= full_weight ? std::optional(weight) : std::nullopt;
}

/// The weight that an element's parameters give it; nothing if it cannot be read.
std::optional<int> weight_among(std::string_view parameters) {
  while (auto const parameter = next_parameter(parameters)) {
    if (iequals(parameter->substr(0, 2), "q=")) return read_weight(parameter->substr(2));
  }
  return full_weight;
}

struct media_range {
  std::string_view type{}, subtype{};
  int weight = full_weight;
};

/// A range with parameters of its own (a version, a profile) names something narrower than what we offer; the plain
/// type is what serves its sender best.
std::optional<media_range> read_range(std::string_view element) {
  auto const name = next_parameter(element);
  auto const slash = name ? name->find('/') : std::string_view::npos;
  if (slash == std::string_view::npos) return std::nullopt;
  auto const weight = weight_among(element);
  if (!weight) return std::nullopt;
  return media_range{name->substr(0, slash), name->substr(slash + 1), *weight};
}

/// 0: does not match; 1: "*/*"; 2: "type/*"; 3: the type itself.
int specificity(media_range const& range, std::string_view type, std::string_view subtype) {
  if (range.type == "*") return range.subtype == "*" ? 1 : 0;
  if (!iequals(range.type, type)) return 0;
  if (range.subtype == "*") return 2;
  return iequals(range.subtype, subtype) ? 3 : 0;
}

/// The weights of the codings that are named; `others` is that of `*`.
struct coding_weights {
  std::optional<int> brotli{}, gzip{}, identity{}, others{};

  void note(std::string_view coding, int weight) {
    if (iequals(coding, "br")) brotli = weight;
    if (iequals(coding, "gzip") || iequals(coding, "x-gzip")) gzip = weight;
    if (iequals(coding, "identity")) identity = weight;
    if (coding == "*") others = weight;
  }
};

}  // namespace

content_coding preferred_coding(request const& head, bool offers_brotli) {
  coding_weights found;
  for (auto const& f : head.fields) {
    if (!iequals(f.name, "accept-encoding")) continue;
    auto rest = f.value;
    while (auto element = next_element(rest)) {
      auto const coding = next_parameter(*element);
      auto const weight = weight_among(*element);
      if (coding && weight) found.note(*coding, *weight);
    }
  }
  auto const brotli = offers_brotli ? found.brotli.value_or(0) : 0;
  auto const gzip = found.gzip.value_or(found.others.value_or(0));
  // The plain form is always acceptable unless it is refused by name; unnamed, it is the last choice.
  auto const plain = found.identity.value_or(0);
  if (brotli > 0 && brotli >= std::max(gzip, plain)) return content_coding::brotli;
  return gzip > 0 && gzip >= plain ? content_coding::gzip : content_coding::identity;
}

bool prefers_gzip(request const& head) {
  return preferred_coding(head, false) == content_coding::gzip;
}

bool prefers_html(request const& head) {
  auto const html = accept_quality(head, "text", "html", wildcards::ignored);
  return html > 0 && html > accept_quality(head, "application", "json", wildcards::counted);
}

int accept_quality(request const& head, std::string_view type, std::string_view subtype, wildcards mode) {
  bool seen = false;
  int best = mode == wildcards::ignored ? 2 : 0;  // a range must be more specific than this to count
  int weight = 0;
  for (auto const& f : head.fields) {
    if (!iequals(f.name, "accept")) continue;
    seen = true;
    auto rest = f.value;
    while (auto const element = next_element(rest)) {
      auto const range = read_range(*element);
      if (!range) continue;
      int const rank = specificity(*range, type, subtype);
      if (rank <= best) continue;
      best = rank;
      weight = range->weight;
    }
  }
  return seen || mode == wildcards::ignored ? weight : full_weight;
}

std::optional<std::string_view> negotiate(request const& head, std::vector<std::string_view> const& offers) {
  std::optional<std::string_view> best;
  int best_weight = 0;
  for (auto const offer : offers) {
    auto const slash = offer.find('/');
    int const weight = accept_quality(head, offer.substr(0, slash), offer.substr(slash + 1), wildcards::counted);
    if (weight <= best_weight) continue;
    best = offer;
    best_weight = weight;
  }
  return best;
}

}  // namespace svc::http
