#pragma once

#include "domain/pages/languages/phrase.hpp"
#include "svc/domain/pages/language.hpp"

// One table of texts for each language. A new member must be in all ten tables, or they do not compile.

namespace svc::pages {

using month_names = std::array<phrase, 12>;

struct page_texts {
  plural_rule rule;

  // Statuses of components and of the page.
  phrase operational;
  phrase unknown;
  phrase under_maintenance;
  phrase degraded_performance;
  phrase partial_outage;
  phrase major_outage;
  phrase all_operational;
  phrase status_unknown;
  phrase not_observed;

  // Impacts of incidents.
  phrase impact_none;
  phrase impact_minor;
  phrase impact_major;
  phrase impact_critical;

  // Statuses of posts.
  phrase investigating;
  phrase identified;
  phrase monitoring;
  phrase resolved;
  phrase postmortem;
  phrase scheduled;
  phrase note;
  phrase cancelled;
  phrase ended_early;
  phrase under_way;
  phrase completed;

  // Frame of each page.
  pattern<1> page_title;
  pattern<1> page_description;
  phrase skip;
  phrase navigation;
  phrase get_updates;
  phrase all_systems;
  pattern<1> as_of;
  pattern<1> times_in;
  phrase times_local;
  phrase history;
  phrase support;
  phrase calendar;

  // The first page.
  phrase open_incidents;
  phrase systems;
  phrase legend;
  phrase no_systems;
  pattern<1> no_result_since;
  pattern<2> last_known;
  pattern<1> days_ago;  ///< Always with 45 or 90.
  phrase today;
  pattern<1> uptime;
  pattern<2> last_days;
  plural days;
  phrase troubled_days;
  phrase troubled_caption;
  phrase no_trouble;
  phrase day;
  phrase system;
  phrase worst_status;
  phrase downtime;
  pattern<1> since;
  pattern<1> until;
  pattern<2> range;
  phrase maintenance;
  plural in_days;
  plural in_hours;
  plural in_minutes;
  phrase past_days;
  phrase no_incidents;
  phrase all_incidents;
  pattern<1> copy_title;
  pattern<1> copy_text;
  phrase results_too_old;

  // Subscribing.
  phrase updates_by_mail;
  phrase mail_address;
  phrase subscribe;
  phrase subscribe_hint;
  phrase asked_title;
  phrase asked_text;
  phrase confirm_title;
  pattern<1> confirm_text;
  phrase confirm_button;
  phrase refuse_text;
  phrase refuse_button;
  phrase confirmed_title;
  pattern<1> confirmed_text;
  phrase stop_title;
  pattern<1> stop_text;
  phrase stopped_title;
  pattern<1> stopped_text;
  phrase refused_title;
  phrase refused_text;
  phrase link_over_title;
  phrase link_over_text;

  // Incidents, maintenance and history.
  phrase progress;
  phrase done;
  phrase now;
  phrase not_yet;
  phrase updates;
  pattern<1> edited;
  phrase shortened;
  phrase earlier;
  phrase later;
  pattern<1> affected;
  pattern<2> planned;

  // Mails.
  pattern<1> mail_confirm_subject;
  pattern<4> mail_confirm_text;
  pattern<1> mail_on_page;
  pattern<1> mail_stop;

  // Dates and numbers: {0} is the day, {1} the month, {2} the year.
  pattern<2> short_day;   ///< With a short month.
  pattern<3> short_date;  ///< With a short month.
  pattern<2> long_day;
  pattern<3> long_date;
  pattern<2> month_and_year;  ///< {0} is the month, {1} the year.
  pattern<2> date_and_time;
  pattern<1> percent;
  phrase decimal_mark;
  pattern<1> hours;
  pattern<1> minutes;
  pattern<1> seconds;
  phrase list_mark;
  phrase colon;
  month_names months, short_months;
  month_names lone_months;  ///< as they stand without a day
};

extern page_texts const german;
extern page_texts const english;
extern page_texts const spanish;
extern page_texts const french;
extern page_texts const italian;
extern page_texts const japanese;
extern page_texts const dutch;
extern page_texts const polish;
extern page_texts const portuguese;
extern page_texts const chinese;

/// Returns the table of a language.
page_texts const& texts_of(page_language language);

/// Returns true if each text with a number has as many forms as the language.
consteval bool has_all_forms(page_texts const& texts) {
  auto const count = form_count(texts.rule);
  return texts.days.count() == count && texts.in_days.count() == count && texts.in_hours.count() == count &&
         texts.in_minutes.count() == count;
}

}  // namespace svc::pages
