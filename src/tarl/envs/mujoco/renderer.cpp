// SPDX-License-Identifier: MIT
#include "tarl/envs/mujoco/renderer.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <dlfcn.h>
#include <mujoco/mujoco.h>

namespace tarl::envs::mujoco {

namespace {

constexpr int kPictureWidth = 480;  // both fit into the buffer of every model
constexpr int kPictureHeight = 360;
constexpr int kMostGeoms = 2000;

// The parts of GL/osmesa.h in use.
constexpr unsigned kRgba = 0x1908;          // GL_RGBA
constexpr unsigned kUnsignedByte = 0x1401;  // GL_UNSIGNED_BYTE
constexpr const char* kLibraries[] = {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"};

struct OsMesa {
  void* (*create)(unsigned format, int depth_bits, int stencil_bits, int accum_bits,
                  void* shared) = nullptr;
  unsigned char (*make_current)(void* context, void* buffer, unsigned type, int width,
                                int height) = nullptr;
  void (*destroy)(void* context) = nullptr;

  bool complete() const { return create && make_current && destroy; }
};

// Stays loaded: MuJoCo finds OpenGL through it, and drivers do not unload safely.
OsMesa find_osmesa() {
  OsMesa found;
  for (const char* name : kLibraries) {
    void* library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) continue;
    const auto find = [&](const char* symbol, auto& function) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, symbol));
    };
    find("OSMesaCreateContextExt", found.create);
    find("OSMesaMakeCurrent", found.make_current);
    find("OSMesaDestroyContext", found.destroy);
    if (found.complete()) return found;
  }
  return {};
}

const OsMesa& osmesa() {
  static const OsMesa library = find_osmesa();
  return library;
}

class OsMesaRenderer final : public Renderer {
 public:
  OsMesaRenderer(const mjModel& model, void* context)
      : context_(context), buffer_(std::size_t{4} * kPictureWidth * kPictureHeight) {
    make_current();
    mjv_defaultScene(&scene_);
    mjv_makeScene(&model, &scene_, kMostGeoms);
    mjr_defaultContext(&drawing_);
    mjr_makeContext(&model, &drawing_, mjFONTSCALE_100);
    mjr_setBuffer(mjFB_OFFSCREEN, &drawing_);
  }

  ~OsMesaRenderer() override {
    make_current();
    mjr_freeContext(&drawing_);
    mjv_freeScene(&scene_);
    osmesa().destroy(context_);
  }

  OsMesaRenderer(const OsMesaRenderer&) = delete;
  OsMesaRenderer& operator=(const OsMesaRenderer&) = delete;

  rl::Image draw(const mjModel& model, mjData& data, const View& view) override {
    make_current();  // another environment may have drawn since
    mjvOption option;
    mjv_defaultOption(&option);
    mjvCamera camera = camera_for(model, view);
    mjv_updateScene(&model, &data, &option, nullptr, &camera, mjCAT_ALL, &scene_);
    const mjrRect all = {0, 0, kPictureWidth, kPictureHeight};
    mjr_render(all, &scene_, &drawing_);
    rl::Image image{kPictureWidth, kPictureHeight,
                    std::vector<std::uint8_t>(std::size_t{3} * kPictureWidth * kPictureHeight)};
    mjr_readPixels(image.rgb.data(), nullptr, all, &drawing_);
    // OpenGL starts with the bottom row.
    constexpr std::ptrdiff_t kRow = std::ptrdiff_t{3} * kPictureWidth;
    for (int row = 0; row < kPictureHeight / 2; ++row) {
      std::swap_ranges(image.rgb.begin() + row * kRow, image.rgb.begin() + (row + 1) * kRow,
                       image.rgb.end() - (row + 1) * kRow);
    }
    return image;
  }

 private:
  void make_current() {
    osmesa().make_current(context_, buffer_.data(), kUnsignedByte, kPictureWidth, kPictureHeight);
  }

  static mjvCamera camera_for(const mjModel& model, const View& view) {
    mjvCamera camera;
    mjv_defaultFreeCamera(&model, &camera);
    if (model.ncam > 0) {
      camera.type = mjCAMERA_FIXED;
      camera.fixedcamid = 0;
    } else {
      camera.azimuth = 90;
      camera.elevation = view.from_above ? -90 : -15;
      camera.distance = 1.2 * view.width;
      std::fill_n(camera.lookat, 3, 0.0);
    }
    return camera;
  }

  void* context_;
  std::vector<std::uint8_t> buffer_;
  mjvScene scene_;
  mjrContext drawing_;
};

}  // namespace

std::unique_ptr<Renderer> Renderer::make(const mjModel_& model, std::string& why) {
  if (!osmesa().complete()) {
    why = "there is no OSMesa here to draw with (apt-get install libosmesa6)";
    return nullptr;
  }
  void* context = osmesa().create(kRgba, 24, 8, 8, nullptr);
  std::vector<std::uint8_t> probe(std::size_t{4} * kPictureWidth * kPictureHeight);
  if (context == nullptr || osmesa().make_current(context, probe.data(), kUnsignedByte,
                                                  kPictureWidth, kPictureHeight) == 0) {
    why = "OSMesa cannot draw here";
    return nullptr;
  }
  return std::make_unique<OsMesaRenderer>(model, context);
}

}  // namespace tarl::envs::mujoco
