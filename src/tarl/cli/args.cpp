// SPDX-License-Identifier: MIT
#include "tarl/cli/args.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "tarl/cli/flag_hints.h"
#include "tarl/core/error.h"
#include "tarl/core/fields.h"

namespace tarl::cli {

namespace {

// CleanRL reads --learning_rate and --learning-rate alike.
std::string with_hyphens(std::string word) {
  if (word.starts_with("--")) std::replace(word.begin(), word.end(), '_', '-');
  return word;
}

const Option* find_option(const Verb& verb, const std::string& word) {
  for (const Option& option : verb.options) {
    if (option.name == word ||
        std::find(option.aliases.begin(), option.aliases.end(), word) != option.aliases.end()) {
      return &option;
    }
  }
  return nullptr;
}

[[noreturn]] void refuse_option(const Verb& verb, const std::string& word) {
  if (const std::string hint = hint_for(verb.name, word); !hint.empty()) {
    throw UsageError("tarl " + verb.name + " has no option " + word + "; " + hint);
  }
  std::vector<std::string> known;
  for (const Option& option : verb.options) known.push_back(option.name);
  std::string hint = did_you_mean(word, known);
  if (hint.empty() && find_option(verb, "--set") != nullptr) {
    hint = "; settings are given as --set key=value (tarl show-config lists them)";
  }
  throw UsageError("tarl " + verb.name + " has no option " + word + hint + " (tarl " + verb.name +
                   " --help)");
}

[[noreturn]] void refuse_without_value(const Option& option, const std::string& word) {
  throw UsageError(word + " needs a value: " + word + " " + option.value);
}

}  // namespace

Args::Args(const Verb& verb, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      positional_.push_back(word);
      continue;
    }
    std::optional<std::string> given;
    if (const std::size_t equals = word.find('='); word[1] == '-' && equals != std::string::npos) {
      given = word.substr(equals + 1);
      word.resize(equals);
    }
    const Option* option = find_option(verb, word);
    if (option == nullptr) {
      word = with_hyphens(word);
      option = find_option(verb, word);
    }
    const auto setting = option == nullptr ? setting_of(word) : std::nullopt;
    const Option* set = find_option(verb, "--set");
    if (setting && set != nullptr) {
      if (!given && i + 1 >= words.size()) refuse_without_value(*set, word);
      values_[set->name].push_back(*setting + "=" + (given ? *given : words[++i]));
      continue;
    }
    if (option == nullptr) refuse_option(verb, word);
    if (option->value.empty()) {
      if (given) throw UsageError(word + " takes no value");
      values_[option->name].push_back("");
      continue;
    }
    if (option->value.starts_with('[') && !given) {
      const bool follows =
          i + 1 < words.size() && std::isdigit(static_cast<unsigned char>(words[i + 1][0])) != 0;
      values_[option->name].push_back(follows ? words[++i] : "");
      continue;
    }
    if (!given && i + 1 >= words.size()) refuse_without_value(*option, word);
    values_[option->name].push_back(given ? *given : words[++i]);
  }
  const int count = static_cast<int>(positional_.size());
  if (count < verb.min_positional || count > verb.max_positional) {
    throw UsageError("usage: tarl " + verb.name + " " + verb.usage +
                     (count > verb.max_positional
                          ? " ('" + positional_[static_cast<std::size_t>(verb.max_positional)] +
                                "' is one word too many)"
                          : ""));
  }
}

std::optional<std::string> Args::value(const std::string& option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::nullopt : std::optional(it->second.back());
}

std::vector<std::string> Args::values(const std::string& option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::vector<std::string>{} : it->second;
}

std::optional<double> Args::number(const std::string& option, double low, double high) const {
  const auto given = value(option);
  if (!given) return std::nullopt;
  double number = 0;
  Fields table = {tarl::number(option, number, low, high, "see --help")};
  set_field(table, option, *given, "command line");
  return number;
}

std::int64_t Args::whole(const std::string& option, std::int64_t otherwise, std::int64_t low,
                         std::int64_t high) const {
  const std::vector<std::int64_t> given = wholes(option, low, high);
  return given.empty() ? otherwise : given.back();
}

std::vector<std::int64_t> Args::wholes(const std::string& option, std::int64_t low,
                                       std::int64_t high) const {
  std::vector<std::int64_t> numbers;
  for (const std::string& given : values(option)) {
    std::int64_t& number = numbers.emplace_back();
    Fields table = {
        integer(option, number, static_cast<double>(low), static_cast<double>(high), "see --help")};
    set_field(table, option, given, "command line");
  }
  return numbers;
}

std::string help_text(const Verb& verb) {
  std::ostringstream out;
  out << "tarl " << verb.name << " " << verb.usage << "\n\n" << verb.summary << "\n";
  if (!verb.options.empty()) out << "\nOptions\n";
  for (const Option& option : verb.options) {
    std::string left = "  " + option.name + (option.value.empty() ? "" : " " + option.value);
    left.resize(std::max<std::size_t>(left.size() + 2, 24), ' ');
    out << left << option.help;
    for (const std::string& alias : option.aliases) out << " [" << alias << "]";
    out << "\n";
  }
  if (!verb.examples.empty()) out << "\nExamples\n";
  for (const std::string& example : verb.examples) out << "  " << example << "\n";
  return out.str();
}

}  // namespace tarl::cli
