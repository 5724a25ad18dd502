// jbig.c: in the place of libjbig, which Debian's libtiff asks for and whose licence, the GPL, halation is not under: wheels carry this.
// It decodes and encodes nothing; libtiff reports what jbg_strerror says.
enum { unsupported = 3 };

void jbg_dec_init(void* state) { (void)state; }
int jbg_dec_in(void* state, unsigned char* data, unsigned long bytes, unsigned long* used) {
  (void)state, (void)data, (void)bytes;
  if (used) *used = 0;
  return unsupported;
}
unsigned long jbg_dec_getsize(const void* state) { return (void)state, 0; }
unsigned char* jbg_dec_getimage(const void* state, int plane) { return (void)state, (void)plane, (unsigned char*)0; }
void jbg_dec_free(void* state) { (void)state; }
int jbg_newlen(unsigned char* data, unsigned long bytes) { return (void)data, (void)bytes, unsupported; }

void jbg_enc_init(void* state, unsigned long x, unsigned long y, int planes, unsigned char** p, void* out, void* file) {
  (void)state, (void)x, (void)y, (void)planes, (void)p, (void)out, (void)file;
}
void jbg_enc_out(void* state) { (void)state; }
void jbg_enc_free(void* state) { (void)state; }

const char* jbg_strerror(int code) { return (void)code, "JBIG is left out of this build, because its library is under the GPL"; }
