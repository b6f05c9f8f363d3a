#include "runner/masker.hpp"

#include "runner/secret_forms.hpp"

#include <algorithm>
#include <utility>

namespace svc::runner {

secret_patterns::secret_patterns(std::vector<std::string> secrets) : automaton_(collect(std::move(secrets))) {}

std::vector<std::string> secret_patterns::collect(std::vector<std::string> secrets) {
  std::vector<std::string> out;
  std::size_t spent = 0;
  std::sort(secrets.begin(), secrets.end(),
            [](std::string const& a, std::string const& b) { return a.size() < b.size(); });
  for (auto const& secret : secrets) {
    out.push_back(secret);
    for (auto& line : secret_lines(secret)) out.push_back(std::move(line));
    auto forms = secret_forms(secret);
    std::size_t size = 0;
    for (auto const& each : forms) size += each.size();
    spent += size;
    if (spent <= most_encoded) {
      std::move(forms.begin(), forms.end(), std::back_inserter(out));
    } else {
      ++unencoded_;
    }
  }
  return out;
}

std::string masker::feed(std::string_view bytes) {
  if (!patterns_ || patterns_->automaton().empty()) return std::string(bytes);
  auto const& automaton = patterns_->automaton();
  held_.append(bytes);
  for (char const c : bytes) {
    at_ = automaton.next(at_, c);
    ++end_;
    if (auto const size = automaton.match(at_); size != 0) add({end_ - size, end_});
  }
  return take(end_ - automaton.open(at_));
}

std::string masker::finish() {
  at_ = pattern_automaton::start;
  return take(end_);
}

void masker::add(range found) {
  // It ends behind all others, but may begin before them.
  while (!found_.empty() && found_.back().end > found.begin) {
    found.begin = std::min(found.begin, found_.back().begin);
    found.shown = found.shown || found_.back().shown;
    found_.pop_back();
  }
  found_.push_back(found);
}

std::string masker::take(std::size_t until) {
  std::string out;
  auto at = begin_;
  while (!found_.empty() && found_.front().begin < until) {
    auto& first = found_.front();
    if (first.begin > at) out.append(held_, at - begin_, first.begin - at);
    if (!first.shown) out.append(mask);
    first.shown = true;
    at = std::min(first.end, until);
    // What a later one may still overlap stays.
    if (first.end > until) break;
    found_.pop_front();
  }
  if (at < until) out.append(held_, at - begin_, until - at);
  held_.erase(0, until - begin_);
  begin_ = until;
  return out;
}

}  // namespace svc::runner
