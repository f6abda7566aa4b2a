//! The door for C and WebAssembly: text in, JSON out. README.md has the declarations.
use crate::json::to_json;
use std::alloc::{alloc, dealloc, Layout};
use std::mem::size_of;
use std::ptr;

// The size of each block of memory is in front of it, so that `symops_free` needs no size.
const HEADER: usize = size_of::<usize>();

fn layout_of(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

/// Return memory for `size` bytes, or a null pointer.
#[no_mangle]
pub extern "C" fn symops_alloc(size: usize) -> *mut u8 {
    let layout = match layout_of(size) {
        Some(layout) => layout,
        None => return ptr::null_mut(),
    };
    // SAFETY: the layout has at least the bytes of the header, and an alignment for it.
    unsafe {
        let block = alloc(layout);
        if block.is_null() {
            return block;
        }
        block.cast::<usize>().write(size);
        block.add(HEADER)
    }
}

/// Return the JSON of a text of `size` bytes: ASCII, with a zero byte at its end, to be freed with
/// `symops_free`. A null pointer if the text is not UTF-8, or if there is no memory.
///
/// # Safety
///
/// `text` points to `size` bytes that can be read.
#[no_mangle]
pub unsafe extern "C" fn symops_parse(text: *const u8, size: usize) -> *mut u8 {
    // An empty text may come as a null pointer, which no slice may have.
    let bytes = if size == 0 { &[] } else { std::slice::from_raw_parts(text, size) };
    let json = match std::str::from_utf8(bytes) {
        Ok(text) => to_json(text),
        Err(_) => return ptr::null_mut(),
    };
    let result = symops_alloc(json.len() + 1);
    if !result.is_null() {
        ptr::copy_nonoverlapping(json.as_ptr(), result, json.len());
        result.add(json.len()).write(0);
    }
    result
}

/// Free memory of `symops_alloc` or `symops_parse`; a null pointer is ignored.
///
/// # Safety
///
/// `memory` comes from one of them, and is freed once.
#[no_mangle]
pub unsafe extern "C" fn symops_free(memory: *mut u8) {
    if memory.is_null() {
        return;
    }
    let block = memory.sub(HEADER);
    if let Some(layout) = layout_of(block.cast::<usize>().read()) {
        dealloc(block, layout);
    }
}
