// SPDX-License-Identifier: MIT
#include "tarl/cli/man_page.h"

#include "tarl/cli/plugins.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/build_config.h"

namespace tarl::cli {

namespace {

// Text escaped for roff: '\' and '-' need a '\', and a line must not begin with a request.
std::string plain(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\\') {
      out += "\\e";
    } else if (letter == '-') {
      out += "\\-";
    } else {
      out += letter;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string entry(const std::string& what, const std::string& meaning) {
  return ".TP\n" + what + "\n" + plain(meaning) + "\n";
}

std::string bold(const std::string& text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string option_entry(const Option& option) {
  std::string names = bold(option.name);
  for (const std::string& alias : option.aliases) names += ", " + bold(alias);
  if (!option.value.empty()) names += " \\fI" + plain(option.value) + "\\fR";
  return entry(names, option.help);
}

std::string verb_part(const Verb& verb) {
  std::string out =
      ".SS " + plain("tarl " + verb.name + " " + verb.usage) + "\n" + plain(verb.summary) + "\n";
  for (const Option& option : verb.options) out += option_entry(option);
  if (verb.examples.empty()) return out;
  out += ".PP\nExamples:\n.PP\n.nf\n";
  for (const std::string& example : verb.examples) out += plain("  " + example) + "\n";
  return out + ".fi\n";
}

}  // namespace

std::span<const std::pair<int, const char*>> exit_codes() {
  static constexpr std::pair<int, const char*> kCodes[] = {
      {kExitGood, "done"},
      {kExitFailed, "failed: the disk, the memory, a damaged file; the message says which"},
      {kExitUsage, "asked for something tarl does not know or cannot do; nothing was changed"},
      {kExitNonFinite, "a run met a NaN or an infinity; its batch is in the run folder"},
      {kExitStopped,
       "stopped by a signal with everything saved; train --resume or the study's same command "
       "continues"}};
  return kCodes;
}

std::string man_page() {
  std::string out = ".TH TARL 1 \"\" \"tarl ";
  out.append(kVersion).append("\" \"User Commands\"\n");
  out.append(".SH NAME\ntarl \\- target\\-aligned reinforcement learning\n");
  out.append(".SH SYNOPSIS\n\\fBtarl\\fR \\fIVERB\\fR [options]\n.SH VERBS\n");
  for (const Verb& verb : all_verbs()) out += verb_part(verb);
  out += ".SH OPTIONS OF EVERY VERB\n";
  out += entry(bold("--help"), "explain the verb");
  out += entry(bold(kPluginOption) + " \\fIFILE\\fR",
               "load agents, environments and scores from a shared library; may be repeated");
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes())
    out += entry(bold(std::to_string(code)), meaning);
  out += ".SH ENVIRONMENT\n";
  out += entry(bold(kPluginVariable), "plugins to load, paths with ':' between them");
  out += entry(bold("TARL_ROM_DIR"), "folder of Atari's ROM files");
  out +=
      entry(bold("TARL_ISA"),
            "avx512 (or avx512-high, avx512-low), avx2 or plain: vector code to use; results are "
            "the same");
  return out;
}

}  // namespace tarl::cli
