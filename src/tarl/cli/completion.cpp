// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "tarl/cli/plugins.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"

namespace tarl::cli {

namespace {

// The command that lists candidates, by the option whose value, or the verb whose word, is
// completed.
struct Source {
  const char* what;     // "--algo"; "study run"
  const char* command;  // prints one candidate per line, as its first word
};

constexpr Source kSources[] = {{"--algo", "list algos"},
                               {"--env", "list envs"},
                               {"--envs", "list envs"},
                               {"--preset", "list presets"}};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// "a|b|c" as words; nothing for a placeholder such as "NAME".
std::string words_of(const std::string& alternatives) {
  if (alternatives.find('|') == std::string::npos) return "";
  std::string words = alternatives;
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

std::string option_names(const Verb& verb) {
  std::vector<std::string> names = {"--help", kPluginOption};
  for (const Option& option : verb.options) names.push_back(option.name);
  return joined(names);
}

// The first words a verb accepts, parsed from its usage: "run NAME|FILE.toml [options] | list".
std::string first_words(const Verb& verb) {
  std::vector<std::string> words;
  std::string word;
  bool first = true;
  for (const char letter : verb.usage + "|") {
    if (letter >= 'a' && letter <= 'z') {
      word += letter;
      continue;
    }
    const bool ends = letter == ' ' || letter == '|';
    if (first && ends && !word.empty()) words.push_back(word);
    if (!word.empty() || (letter != ' ' && letter != '|')) first = false;
    word.clear();
    if (letter == '|') first = true;
  }
  return joined(words);
}

// One case of a shell's `case`: pattern and body.
std::string arm(const std::string& pattern, const std::string& body) {
  return "    " + pattern + ") " + body + " ;;\n";
}

std::string value_arms(const Verb& verb) {
  std::string arms;
  for (const Option& option : verb.options) {
    std::string pattern = verb.name + ":" + option.name;
    for (const std::string& alias : option.aliases) pattern += "|" + verb.name + ":" + alias;
    if (const std::string words = words_of(option.value); !words.empty()) {
      arms += arm(pattern, "found=\"" + words + "\"");
      continue;
    }
    for (const Source& source : kSources) {
      if (option.name == source.what) {
        arms += arm(pattern, std::string("found=$(_tarl_ask ") + source.command + ")");
      }
    }
  }
  return arms;
}

// Both shells run the same function on the words so far; it puts candidates into `found`.
std::string candidates() {
  std::string verbs, values, options, firsts;
  for (const Verb& verb : all_verbs()) {
    verbs += verb.name + " ";
    values += value_arms(verb);
    options += arm(verb.name, "found=\"" + option_names(verb) + "\"");
    if (const std::string words = first_words(verb); !words.empty()) {
      firsts += arm(verb.name, "found=\"" + words + "\"");
    }
  }
  return "_tarl_ask() { \"${_tarl_program:-tarl}\" \"$@\" 2>/dev/null | cut -d' ' -f1; }\n\n"
         "# _tarl_words VERB PREVIOUS CURRENT COUNT: candidates in $found; none: files\n"
         "_tarl_words() {\n"
         "  found=\"\"\n"
         "  if [ \"$4\" -le 1 ]; then found=\"" +
         verbs +
         "help version\"; return; fi\n"
         "  case \"$1:$2\" in\n" +
         arm("study:run", "found=$(_tarl_ask list studies)") + values +
         "  esac\n"
         "  [ -z \"$found\" ] || return 0\n"
         "  case \"$3\" in\n"
         "    -*) case \"$1\" in\n" +
         options +
         "    esac; return ;;\n"
         "  esac\n"
         "  [ \"$4\" -eq 2 ] || return 0\n"
         "  case \"$1\" in\n" +
         firsts + arm("help", "found=\"" + verbs + "exit-codes\"") + "  esac\n}\n\n";
}

std::string bash() {
  return "# bash completion for tarl\n" + candidates() +
         "_tarl() {\n"
         "  local found current=${COMP_WORDS[COMP_CWORD]}\n"
         "  local _tarl_program=${COMP_WORDS[0]}\n"
         "  _tarl_words \"${COMP_WORDS[1]}\" \"${COMP_WORDS[COMP_CWORD-1]}\" \"$current\" "
         "\"$COMP_CWORD\"\n"
         "  COMPREPLY=($(compgen -W \"$found\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _tarl tarl\n";
}

std::string zsh() {
  return "#compdef tarl\n" + candidates() +
         "_tarl() {\n"
         "  local found _tarl_program=${words[1]}\n"
         "  _tarl_words \"${words[2]}\" \"${words[CURRENT-1]}\" \"${words[CURRENT]}\" "
         "$((CURRENT - 1))\n"
         "  if [ -n \"$found\" ]; then compadd -- ${=found}; else _files; fi\n"
         "}\n"
         "if [ \"${funcstack[1]}\" = _tarl ]; then _tarl \"$@\"; else compdef _tarl tarl; fi\n";
}

int run_completion(const Args& args) {
  const std::string& shell = args.positional().front();
  if (shell == "bash") {
    std::fputs(bash().c_str(), stdout);
  } else if (shell == "zsh") {
    std::fputs(zsh().c_str(), stdout);
  } else {
    throw UsageError("tarl completion " + shell + ": for which shell? bash or zsh");
  }
  return kExitGood;
}

}  // namespace

Verb completion_verb() {
  return {.name = "completion",
          .summary = "print what completes tarl's command line in a shell",
          .usage = "bash|zsh",
          .options = {},
          .examples = {"source <(tarl completion bash)", "tarl completion zsh > ~/.zfunc/_tarl"},
          .min_positional = 1,
          .max_positional = 1,
          .run = run_completion};
}

}  // namespace tarl::cli
