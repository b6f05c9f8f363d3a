// Lists: one page, or all pages as they arrive.
#include "cli/commands/page_reader.hpp"
#include "cli/commands/resource.hpp"
#include "cli/console/show.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

struct list_arguments {
  std::vector<std::string> filters;  ///< as the resource has them; empty: not given
  std::int64_t page = 0, limit = 0;
  bool all = false;
};

/// Rows of all pages as one page, written while they arrive.
class json_rows {
 public:
  explicit json_rows(console& console) : console_(console), people_(console.out_is_terminal()) {}

  void page(std::string_view answer) {
    for (auto const row : elements_of(answer, "data")) {
      console_.data(count_ == 0 ? begin() : "," + line_end(4));
      console_.data(indented(laid_out(row, people_)));
      ++count_;
    }
  }
  void end() {
    if (count_ == 0) console_.data(begin());
    console_.data(line_end(2) + "]," + line_end(2) + (people_ ? "\"pagination\": " : "\"pagination\":"));
    boost::json::object const facts{{"total", count_},
                                    {"page", 1},
                                    {"limit", std::max<std::int64_t>(count_, 1)},
                                    {"totalPages", count_ == 0 ? 0 : 1},
                                    {"hasNextPage", false},
                                    {"hasPrevPage", false}};
    console_.data(json_text(facts, false) + line_end(0) + "}\n");
  }

 private:
  std::string line_end(std::size_t indent) const { return people_ ? "\n" + std::string(indent, ' ') : std::string(); }
  std::string begin() const { return "{" + line_end(2) + (people_ ? "\"data\": [" : "\"data\":[") + line_end(4); }
  std::string indented(std::string text) const {
    for (auto position = text.find('\n'); position != text.npos; position = text.find('\n', position + 5))
      text.insert(position + 1, "    ");
    return text;
  }

  console& console_;
  bool people_;
  std::int64_t count_ = 0;
};

page_reader::query query_of(context& cx, resource const& r, list_arguments const& given) {
  page_reader::query out;
  for (std::size_t i = 0; i < r.filters.size(); ++i) {
    auto const& filter = r.filters[i];
    auto const& text = given.filters[i];
    bool const asks = !text.empty() && filter.prepared != nullptr;
    try {
      out.emplace_back(filter.parameter, asks ? filter.prepared(cx, text) : text);
    } catch (failure const& f) {
      throw f.exit() == exit_code::usage ? f.retold(std::string(filter.flag) + ": " + f.what(), f.hint()) : f;
    }
  }
  if (given.page > 0) out.emplace_back("page", std::to_string(given.page));
  auto const limit = given.limit > 0 ? given.limit : given.all ? 100 : 0;
  if (limit > 0) out.emplace_back("limit", std::to_string(limit));
  return out;
}

boost::json::array rows_of(std::string_view page) {
  auto body = object_of(page);
  auto* const rows = body.get_object().if_contains("data");
  if (rows == nullptr || !rows->is_array()) object_of({});
  return std::move(rows->get_array());
}

/// Returns the next page; a refusal names the option with the wrong value.
std::optional<std::string> next_page(page_reader& pages, resource const& r, list_arguments const& given) {
  try {
    return pages.next();
  } catch (failure const& f) {
    std::vector<named_option> options{{"page", "--page"}, {"limit", "--limit"}};
    boost::json::object typed;
    for (std::size_t i = 0; i < r.filters.size(); ++i) {
      if (given.filters[i].empty()) continue;
      options.push_back({r.filters[i].parameter, r.filters[i].flag});
      typed[r.filters[i].parameter] = given.filters[i];
    }
    throw with_option_names(f, boost::json::serialize(typed), options);
  }
}

exit_code list_pages(context& cx, resource const& r, list_arguments const& given) {
  page_reader pages(cx, std::string(r.path), query_of(cx, r, given));
  bool const json = cx.console.how() == format::json;
  row_writer table(cx.console, r.row, r.id_member);
  json_rows merged(cx.console);
  bool is_empty = true;
  while (auto const page = next_page(pages, r, given)) {
    auto rows = rows_of(*page);
    is_empty = is_empty && rows.empty();
    if (cx.console.how() == format::text && r.adapt != nullptr)
      for (auto& row : rows)
        if (row.is_object()) r.adapt(row.get_object());
    if (!json) {
      table.rows(rows);
    } else if (given.all) {
      merged.page(*page);
    } else {
      cx.console.data_line(laid_out(*page, cx.console.out_is_terminal()));
    }
    if (!given.all) break;
    cx.console.flush();
  }
  table.finish();
  if (json && given.all) merged.end();
  if (is_empty && !json && r.explain_empty != nullptr) r.explain_empty(cx, given.filters);
  return exit_code::ok;
}

}  // namespace

std::function<exit_code(resource const&)> declare_list(CLI::App& list, context& cx, resource const& r) {
  auto const given = std::make_shared<list_arguments>();
  given->filters.resize(r.filters.size());
  for (std::size_t i = 0; i < r.filters.size(); ++i) {
    auto const& filter = r.filters[i];
    auto* const option = list.add_option(filter.flag, given->filters[i], filter.help)->type_name(filter.type_name);
    if (!filter.allowed.empty()) option->check(CLI::IsMember(filter.allowed));
    if (std::string_view(filter.type_name) == "BOOL") option->expected(0, 1)->default_str("true");
  }
  auto* const page = list.add_option("--page", given->page, "number of the page, from 1")
                         ->type_name("N")
                         ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  list.add_option("--limit", given->limit, "rows of a page, at most 100; the API's default is 20")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100}));
  list.add_flag("--all", given->all, "all pages, one after the other")->excludes(page);
  return [&cx, given](resource const& which) { return list_pages(cx, which, *given); };
}

namespace {

CLI::App* add_list_command(CLI::App& app, resource const& r, std::string const& name) {
  return app.add_subcommand(name, "List " + std::string(r.many) + ", " + std::string(r.order));
}

}  // namespace

void add_list(CLI::App& app, context& cx, resource const& r, std::string const& name) {
  auto* const list = add_list_command(app, r, name);
  auto const pages = declare_list(*list, cx, r);
  add_example(*list, r.list_example);
  list->callback([&cx, &r, pages] { cx.action = [&r, pages] { return pages(r); }; });
}

void add_list_below(CLI::App& app, context& cx, std::string const& name, resource const& owner,
                    std::string_view below, resource (*address)(std::string_view path), std::string const& help) {
  auto const given = std::make_shared<std::string>();
  auto const unplaced = address("");
  auto* const list = add_list_command(app, unplaced, name);
  add_target(*list, owner, *given, help);
  auto const pages = declare_list(*list, cx, unplaced);
  list->callback([&cx, &owner, below, address, given, pages] {
    cx.action = [&cx, &owner, below, address, given, pages] {
      auto const path = target_of(cx, owner, *given, below);
      return pages(address(path));
    };
  });
  add_example(*list, unplaced.list_example);
}

}  // namespace svc::cli
