#include "cli/manual/man_page.hpp"

#include "cli/manual/reference.hpp"

#include <algorithm>
#include <span>

namespace svc::cli {
namespace {

// Escapes characters that roff would read as an escape or print as a typographic one, so that users could not copy
// them from the page (groff_char(7)).
std::string_view roff_escape(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return {};
  }
}

std::string roff_inline(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (auto const escape = roff_escape(c); !escape.empty())
      out += escape;
    else
      out += c;
  }
  return out;
}

std::string roff_line(std::string_view line) {
  // A point at the start of a line is a request. An apostrophe there would be one too, but it is always escaped.
  return (line.starts_with('.') ? "\\&" : "") + roff_inline(line) + "\n";
}

/// The columns of a line of the source, which some tools want to be short; roff itself fills the lines of the page.
constexpr std::size_t roff_columns = 76;

std::string roff_wrapped(std::string_view text) {
  std::string out;
  while (text.size() > roff_columns) {
    auto space = text.rfind(' ', roff_columns);
    if (space == std::string_view::npos) space = text.find(' ');
    if (space == std::string_view::npos) break;
    out += roff_line(text.substr(0, space));
    text.remove_prefix(space + 1);
  }
  return text.empty() ? out : out + roff_line(text);
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (auto& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string page_name(described_command const& command) {
  auto out = command.path;
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

std::string title_of(std::string const& name, man_title const& title) {
  return ".TH " + roff_argument(upper(name)) + " 1 " + std::string(title.date) + " " +
         roff_argument("svc " + std::string(title.version)) + " " + roff_argument("svc manual") + "\n";
}

/// Returns the macro line `-q`, `--quiet FILE`, with the value in italics.
std::string option_head(described_option const& option) {
  std::string out;
  for (auto const& name : option.names) (out += out.empty() ? "" : ", ").append("\\fB" + roff_inline(name) + "\\fR");
  if (option.takes_value()) (out += out.empty() ? "" : " ").append("\\fI" + roff_inline(option.value_name) + "\\fR");
  return out + "\n";
}

std::string option_entry(described_option const& option) {
  auto out = ".TP\n" + option_head(option) + roff_text(option.help);
  if (!option.choices.empty()) {
    std::string words;
    for (auto const& choice : option.choices) (words += words.empty() ? "" : ", ") += choice;
    out += roff_text("One of: " + words + ".");
  }
  if (option.repeatable) out += "May be given several times.\n";
  return out;
}

/// Returns the footer's text. Footers hold sentences and, indented, lines that users type.
std::string footer_text(std::string_view footer) {
  std::string out;
  bool typed = false;
  while (!footer.empty()) {
    auto const end = std::min(footer.find('\n'), footer.size());
    auto const line = footer.substr(0, end);
    footer.remove_prefix(std::min(end + 1, footer.size()));
    bool const indented = line.starts_with("  ");
    if (line.empty()) continue;
    if (indented != typed || !indented) out += typed ? ".fi\n.RE\n" : "";
    if (indented && !typed) out += ".RS 4\n.nf\n";
    if (!indented) out += ".PP\n";
    typed = indented;
    out += indented ? roff_line(line.substr(2)) : roff_wrapped(line);
  }
  return out + (typed ? ".fi\n.RE\n" : "");
}

/// Returns the line that users type: the command, its required options and its arguments.
std::string usage_line(described_command const& command) {
  std::string out = command.path;
  bool optional = false;
  for (auto const& option : command.options) {
    if (option.positional) continue;
    if (option.required)
      out += " " + option.names.back() + " " + option.value_name;
    else
      optional = true;
  }
  if (optional) out += " [OPTIONS]";
  for (auto const& option : command.options) {
    if (!option.positional) continue;
    auto const value = option.value_name + (option.repeatable ? "..." : "");
    out += option.required ? " " + value : " [" + value + "]";
  }
  return out;
}

std::string command_entry(described_command const& command) {
  auto out = ".SS " + roff_argument(usage_line(command)) + "\n" + roff_text(command.summary);
  for (auto const& option : command.options) out += option_entry(option);
  return out + footer_text(command.footer);
}

std::string reference_entries(std::string_view heading, std::span<reference_row const> rows) {
  auto out = ".SH " + std::string(heading) + "\n";
  for (auto const& row : rows)
    out += ".TP\n.B " + roff_argument(row.name) + "\n" + roff_text(std::string(row.meaning) + ".");
  return out;
}

std::string head_of(described_command const& command, man_title const& title) {
  auto const name = page_name(command);
  return title_of(name, title) + ".SH NAME\n" + roff_inline(name) + " \\- " + roff_text(command.summary) +
         ".SH SYNOPSIS\n.B " + roff_argument(command.path) + "\n.I COMMAND\n[\n.I OPTIONS\n] [\n.I ARGUMENTS\n]\n";
}

/// Returns the program's page: groups are references to their pages, other commands are described in full.
std::string program_page(described_command const& root, man_title const& title) {
  auto out = head_of(root, title) + ".SH DESCRIPTION\n" + roff_text(root.summary) + footer_text(first_steps);
  out += ".SH COMMANDS\n";
  for (auto const& command : root.commands) {
    if (command.commands.empty()) continue;
    out += ".TP\n.B " + roff_argument(command.path) + "\n" + roff_text(command.summary) + "See\n.BR " +
           roff_inline(page_name(command)) + " (1).\n";
  }
  for (auto const& command : root.commands)
    if (command.commands.empty()) out += command_entry(command);
  out += ".SH OPTIONS\nThese apply to every command, before or after its name.\n";
  for (auto const& option : root.options) out += option_entry(option);
  out += reference_entries("ENVIRONMENT", environment_reference);
  out += reference_entries("FILES", file_reference);
  out += reference_entries("EXIT STATUS", exit_reference);
  out += ".SH NOTES\nThe hidden command\n.B svc manual\n.I DIR\nwrites these pages.\n.SH SEE ALSO\n";
  std::string others;
  for (auto const& command : root.commands)
    if (!command.commands.empty())
      others += (others.empty() ? "" : " ,\n") + (".BR " + roff_inline(page_name(command)) + " (1)");
  return out + others + "\n";
}

std::string group_page(described_command const& group, man_title const& title) {
  auto out = head_of(group, title) + ".SH DESCRIPTION\n" + roff_text(group.summary) +
             "Options that apply to every command, environment, files and exit status are in\n.BR svc (1).\n";
  out += footer_text(group.footer) + ".SH COMMANDS\n";
  for (auto const* const command : leaves_of(group)) out += command_entry(*command);
  return out + ".SH SEE ALSO\n.BR svc (1)\n";
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    // roff would print an empty line as an empty line in the middle of a paragraph.
    out += end == 0 ? std::string(".PP\n") : roff_wrapped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string roff_argument(std::string_view text) {
  std::string out = "\"";
  for (char const c : roff_inline(text)) {
    if (c == '"')
      out += "\\(dq";
    else
      out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::vector<man_page> man_pages(described_command const& root, man_title const& title) {
  std::vector<man_page> out{{page_name(root) + ".1", program_page(root, title)}};
  for (auto const& command : root.commands)
    if (!command.commands.empty()) out.push_back({page_name(command) + ".1", group_page(command, title)});
  return out;
}

}  // namespace svc::cli
