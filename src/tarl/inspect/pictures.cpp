// SPDX-License-Identifier: MIT
#include "tarl/inspect/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tarl/core/formats/base64.h"
#include "tarl/core/formats/gif.h"
#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/text.h"

namespace tarl::inspect {

namespace {

constexpr double kBarsWidth = 160, kBarsHeight = 80, kMostBarWidth = 12;

using report::concat;
using report::coordinate;

std::string image_html(const rl::Image& image, const std::string& alt) {
  const GifFrame frame{image.width, image.height, image.rgb};
  return concat({"<img alt=\"", report::escape_html(alt), "\" width=\"",
                 std::to_string(image.width), "\" height=\"", std::to_string(image.height),
                 "\" src=\"data:image/gif;base64,", base64(encode_gif({&frame, 1}, 1000)), "\">"});
}

// The last of stacked frames; the first channel if there are more than grey or RGB.
rl::Image newest_frame(const rl::ObsSpec& spec, std::span<const std::byte> obs) {
  const auto pixels = static_cast<std::size_t>(spec.width) * static_cast<std::size_t>(spec.height);
  const int channels = spec.channels / spec.frame_stack;
  const std::byte* frame = obs.data() + static_cast<std::size_t>(spec.channels - channels) * pixels;
  rl::Image image{spec.width, spec.height, std::vector<std::uint8_t>(3 * pixels)};
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    for (std::size_t colour = 0; colour < 3; ++colour) {
      const std::size_t plane = channels == 3 ? colour : 0;
      image.rgb[3 * pixel + colour] = std::to_integer<std::uint8_t>(frame[plane * pixels + pixel]);
    }
  }
  return image;
}

}  // namespace

Pictures::Pictures(const Candidates& candidates)
    : spec_(candidates.spec),
      env_(candidates.config.environment().make(candidates.config.env_config, seeded(0))) {
  if (candidates.sights.empty()) return;
  std::string why;
  draws_ = env_->picture_of(candidates.sights.front().obs, why).has_value();
  if (draws_ || spec_.obs.kind == rl::ObsKind::kBytes) return;
  for (const Sight& sight : candidates.sights) {
    for (const auto* obs : {&sight.obs, &sight.next_obs}) {
      const std::vector<float> values = numbers(*obs);
      largest_.resize(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        largest_[i] = std::max(largest_[i], std::fabs(double{values[i]}));
      }
    }
  }
}

std::string Pictures::kind() const {
  if (draws_) return "States are drawn from the stored observations by the environment.";
  if (spec_.obs.kind == rl::ObsKind::kBytes)
    return "Of each observation the newest frame is shown.";
  return "The observations are numbers of which no picture can be made: each is a bar, up where it "
         "is positive, as high as its size among all those drawn.";
}

std::string Pictures::html(std::span<const std::byte> obs, const std::string& alt) const {
  std::string why;
  if (draws_) {
    if (const auto image = env_->picture_of(obs, why)) return image_html(*image, alt);
  }
  if (spec_.obs.kind == rl::ObsKind::kBytes) return image_html(newest_frame(spec_.obs, obs), alt);
  return bars(obs, alt);
}

std::vector<float> Pictures::numbers(std::span<const std::byte> obs) const {
  std::vector<float> values(static_cast<std::size_t>(spec_.obs.size()));
  if (spec_.obs.kind == rl::ObsKind::kFloats) {
    std::memcpy(values.data(), obs.data(), obs.size());
  } else {
    for (std::size_t bit = 0; bit < values.size(); ++bit) {
      values[bit] = (obs[bit / 8] >> bit % 8 & std::byte{1}) != std::byte{0} ? 1.0F : 0.0F;
    }
  }
  return values;
}

std::string Pictures::bars(std::span<const std::byte> obs, const std::string& alt) const {
  const std::vector<float> values = numbers(obs);
  const double width = std::min(kMostBarWidth, kBarsWidth / static_cast<double>(values.size()));
  const double middle = kBarsHeight / 2, tallest = middle - 2;
  std::string out = report::open_svg(kBarsWidth, kBarsHeight, alt) + "<g class=\"c0\">";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = largest_[i] > 0 ? double{values[i]} / largest_[i] : 0;
    const double height = std::isfinite(share) ? tallest * std::fabs(share) : 0;
    out += concat({"<rect class=\"bar\" x=\"", coordinate(width * static_cast<double>(i)),
                   "\" y=\"", coordinate(share > 0 ? middle - height : middle), "\" width=\"",
                   coordinate(0.8 * width), "\" height=\"", coordinate(height), "\"/>"});
  }
  return out + "</g>" + report::line_element("axis", 0, middle, kBarsWidth, middle) + "</svg>";
}

}  // namespace tarl::inspect
