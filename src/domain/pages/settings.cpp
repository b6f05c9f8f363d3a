#include "svc/domain/pages/settings.hpp"

#include "domain/pages/names.hpp"

#include <array>

namespace svc::pages {
namespace {

constexpr enum_names<3> page_status_names{"draft", "published", "archived"};
constexpr enum_names<2> subscriber_state_names{"pending", "active"};

/// The texts of automatic posts in one language.
struct automatic_texts {
  std::string_view investigating, resolved, cancelled, ended_early;
};

// In the order of `page_language`.
constexpr std::array<automatic_texts, language_count> all_automatic_texts{{
    {"Unsere Überwachung hat eine Störung festgestellt.", "Unsere Überwachung meldet wieder normalen Betrieb.",
     "Die geplanten Arbeiten finden nicht statt.", "Die geplanten Arbeiten sind früher beendet."},
    {"Our monitoring has detected an outage.", "Our monitoring reports normal operation again.",
     "The planned work will not take place.", "The planned work has ended early."},
    {"Nuestra supervisión ha detectado una interrupción.",
     "Nuestra supervisión indica de nuevo un funcionamiento normal.", "Los trabajos previstos no se realizarán.",
     "Los trabajos previstos han terminado antes de tiempo."},
    {"Notre surveillance a détecté une panne.", "Notre surveillance constate un retour à la normale.",
     "Les travaux prévus n'auront pas lieu.", "Les travaux prévus se sont terminés plus tôt."},
    {"Il nostro monitoraggio ha rilevato un'interruzione.",
     "Il nostro monitoraggio segnala di nuovo il normale funzionamento.", "I lavori previsti non avranno luogo.",
     "I lavori previsti sono terminati in anticipo."},
    {"監視システムが障害を検知しました。", "監視システムで正常な動作を確認しました。",
     "予定していた作業は中止になりました。", "予定していた作業は早めに終了しました。"},
    {"Onze bewaking heeft een storing vastgesteld.", "Onze bewaking meldt weer normale werking.",
     "De geplande werkzaamheden gaan niet door.", "De geplande werkzaamheden zijn eerder beëindigd."},
    {"Nasz monitoring wykrył awarię.", "Nasz monitoring ponownie wskazuje prawidłowe działanie.",
     "Zaplanowane prace nie odbędą się.", "Zaplanowane prace zakończyły się wcześniej."},
    {"O nosso monitoramento detectou uma interrupção.",
     "O nosso monitoramento indica novamente o funcionamento normal.", "Os trabalhos previstos não serão realizados.",
     "Os trabalhos previstos terminaram antes do prazo."},
    {"我们的监控检测到故障。", "我们的监控显示服务已恢复正常。", "计划的维护工作已取消。",
     "计划的维护工作已提前结束。"},
}};

}  // namespace

std::string_view to_text(page_status value) {
  return name_of(page_status_names, value);
}

std::optional<page_status> page_status_of(std::string_view text) {
  return named<page_status>(page_status_names, text);
}

std::string_view to_text(subscriber_state value) {
  return name_of(subscriber_state_names, value);
}

std::string_view automatic_text(page_language language, post_status status) {
  auto const& texts = all_automatic_texts[static_cast<std::size_t>(language)];
  switch (status) {
    case post_status::investigating:
      return texts.investigating;
    case post_status::resolved:
      return texts.resolved;
    case post_status::cancelled:
      return texts.cancelled;
    case post_status::ended_early:
      return texts.ended_early;
    default:
      return {};
  }
}

}  // namespace svc::pages
