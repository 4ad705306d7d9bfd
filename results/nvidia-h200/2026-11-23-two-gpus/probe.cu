// What the sums of copies at once are compared with: a thread, a stream and a pinned buffer for
// each copy, cudaMemcpyAsync, and the host's clock. nvcc -O2 -arch=sm_90 probe.cu
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
using clk = std::chrono::steady_clock;
struct flow {
  int dev;
  bool up;
  cudaStream_t s;
  char* h;
  char* d;
};
int main() {
  const size_t B = size_t{64} << 20;
  int n = 0;
  cudaGetDeviceCount(&n);
  std::vector<flow> all;
  for (int g = 0; g < n; ++g)
    for (int up = 1; up >= 0; --up) {
      cudaSetDevice(g);
      flow f{g, up == 1};
      cudaStreamCreate(&f.s);
      cudaMallocHost(&f.h, B);
      memset(f.h, 1, B);
      cudaMalloc(&f.d, B);
      all.push_back(f);
    }
  auto run = [&](const char* name, std::vector<flow> fs) {
    std::vector<double> sums;
    std::vector<std::vector<double>> per(fs.size());
    for (int rep = 0; rep < 9; ++rep) {
      std::atomic<int> ready{0};
      const int N = 24;
      std::vector<std::vector<clk::time_point>> t(fs.size());
      std::vector<std::thread> th;
      for (size_t i = 0; i < fs.size(); ++i)
        th.emplace_back([&, i] {
          auto& f = fs[i];
          cudaSetDevice(f.dev);
          cudaEvent_t e[N];
          for (auto& x : e) cudaEventCreateWithFlags(&x, cudaEventDisableTiming);
          ready++;
          while (ready < (int)fs.size())
            ;
          for (int k = 0; k < N; ++k) {
            if (f.up)
              cudaMemcpyAsync(f.d, f.h, B, cudaMemcpyHostToDevice, f.s);
            else
              cudaMemcpyAsync(f.h, f.d, B, cudaMemcpyDeviceToHost, f.s);
            cudaEventRecord(e[k], f.s);
          }
          for (int k = 0; k < N; ++k) {
            cudaEventSynchronize(e[k]);
            t[i].push_back(clk::now());
          }
          for (auto& x : e) cudaEventDestroy(x);
        });
      for (auto& x : th) x.join();
      auto b = t[0].front(), e = t[0].back();
      for (auto& v : t) {
        b = std::max(b, v.front());
        e = std::min(e, v.back());
      }
      double sum = 0;
      for (size_t i = 0; i < fs.size(); ++i) {
        auto& v = t[i];
        auto at = [&](clk::time_point x) {
          size_t k = 0;
          while (k + 1 < v.size() && v[k + 1] <= x) ++k;
          if (k + 1 >= v.size()) return double(v.size() - 1);
          return k + std::chrono::duration<double>(x - v[k]).count() /
                         std::chrono::duration<double>(v[k + 1] - v[k]).count();
        };
        double r = (at(e) - at(b)) * B / std::chrono::duration<double>(e - b).count() / 1e9;
        sum += r;
        per[i].push_back(r);
      }
      sums.push_back(sum);
    }
    std::sort(sums.begin(), sums.end());
    printf("%-28s sum %.2f GB/s :", name, sums[sums.size() / 2]);
    for (size_t i = 0; i < fs.size(); ++i) {
      std::sort(per[i].begin(), per[i].end());
      printf(" cuda:%d:%s %.2f", fs[i].dev, fs[i].up ? "h2d" : "d2h", per[i][per[i].size() / 2]);
    }
    printf("\n");
  };
  for (auto& f : all) run("alone", {f});
  for (int g = 0; g < n; ++g) run("one GPU both", {all[2 * g], all[2 * g + 1]});
  if (n > 1) {
    run("all h2d", {all[0], all[2]});
    run("all d2h", {all[1], all[3]});
    run("all both", all);
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
