// Packed, because a page of three megabytes is too large to be sent.
async function unpack(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (byte) => byte.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
