/* SPDX-License-Identifier: MIT */
/* png.c: makes libpng use the library's scratch memory, and handles its failures with longjmp. */
#include "config.h"

#include "io/png_internal.h"

#include "base/error_internal.h"
#include "memory/memory_internal.h"

/* The largest side of a PNG picture that libpng accepts. The reader also has its own limit,
   max_pixels. */
#define MOST_SIDE 0x7fffffff

_Noreturn void
pqti_png_escape(pqti_png *p)
{
    longjmp(p->escape, 1);
}

static void
on_error(png_structp png, png_const_charp message)
{
    pqti_png *p = png_get_error_ptr(png);
    snprintf(p->message, sizeof p->message, "%s", message);
    pqti_png_escape(p);
}

/* Ignores warnings: libpng repairs the faults that it warns about, and standard error belongs to
   the host program. */
static void
on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static png_voidp
alloc_for_libpng(png_structp png, png_alloc_size_t size)
{
    pqti_png *p = png_get_mem_ptr(png);
    void *block = pqti_alloc_scratch(1, size);
    p->no_memory = p->no_memory || block == NULL;
    return block;
}

static void
free_for_libpng(png_structp png, png_voidp block)
{
    (void)png;
    pqti_free_scratch(block);
}

/* Makes the info struct for a reader or writer. */
static bool
make_info(pqti_png *p)
{
    if (p->png != NULL)
        p->info = png_create_info_struct(p->png);
    p->no_memory = p->no_memory || p->info == NULL;
    if (p->info != NULL)
        png_set_user_limits(p->png, MOST_SIDE, MOST_SIDE);
    return p->info != NULL;
}

bool
pqti_png_open_reader(pqti_png *p)
{
    p->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, p, on_error, on_warning, p,
                                      alloc_for_libpng, free_for_libpng);
    return make_info(p);
}

bool
pqti_png_open_writer(pqti_png *p)
{
    p->writes = true;
    p->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, p, on_error, on_warning, p,
                                       alloc_for_libpng, free_for_libpng);
    return make_info(p);
}

void
pqti_png_close(pqti_png *p)
{
    if (p->writes)
        png_destroy_write_struct(&p->png, &p->info);
    else
        png_destroy_read_struct(&p->png, &p->info, NULL);
}

static void
write_from_libpng(png_structp png, png_bytep from, size_t length)
{
    pqti_png *p = png_get_io_ptr(png);
    if (fwrite(from, 1, length, p->output) == length)
        return;
    p->stream_failed = true;
    pqti_png_escape(p);
}

/* Does nothing: the writers flush the stream at the end. Some builds of libpng call it after
   the picture, and would use the writer as a stream without it. */
static void
flush_nothing(png_structp png)
{
    (void)png;
}

void
pqti_png_write_to(pqti_png *p, FILE *stream)
{
    p->output = stream;
    png_set_write_fn(p->png, p, write_from_libpng, flush_nothing);
}

bool
pqti_png_write_failed(const pqti_png *p, pqt_error *error)
{
    if (p->no_memory)
        pqti_out_of_memory(error);
    else if (p->stream_failed)
        pqti_error_set(error, PQT_ERROR_STREAM, 0, "png: the stream could not be written");
    else /* no known release has another reason, but libpng decides */
        pqti_error_set(error, PQT_ERROR_LIMIT, 0, "png: %s", p->message);
    return false;
}
