#include "boot/sent/by_serial.h"

#include "boot/sent/serial_report.h"

#include "arch/console.h"
#include "arch/serial.h"

static bool line(const char *text, size_t size)
{
	return serial_write(text, size) && serial_write("\r\n", 2);
}

const char *by_serial_send(bool (*put)(text_sink *sink, void *to), const char **why)
{
	if (!serial_write("", 0))
		return NULL;
	console_text("the report goes out over the serial line\n");
	console_flush_screen();
	if (!serial_report_send(put, line)) {
		*why = "the serial port stopped taking bytes";
		return NULL;
	}
	return "on the serial line; scripts/serial-report takes it from there";
}
