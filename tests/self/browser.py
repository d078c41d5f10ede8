"""A browser without a window, for tests of pages: Debian's chromium, driven by its own driver."""
import contextlib
import io
import os

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


@contextlib.contextmanager
def browser():
    options = Options()
    # As root there is no sandbox to be had; what is opened is our own.
    for flag in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--window-size=1300,1500",
        "--disable-extensions",
        "--disable-background-networking",
        "--no-first-run",
    ):
        options.add_argument(flag)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    try:
        yield driver
    finally:
        driver.quit()


def complaints(driver):
    """What pages had to say on the console since the last time: errors and violations of the page's own policy."""
    return [f"{entry['level']}: {entry['message']}" for entry in driver.get_log("browser")]


def screenshot(driver, name):
    """How many colours a picture of what is shown has. It is kept in the directory SCREENSHOTS, if that is set."""
    picture = driver.get_screenshot_as_png()
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        with open(os.path.join(folder, name + ".png"), "wb") as file:
            file.write(picture)
    with Image.open(io.BytesIO(picture)) as image:
        return len(image.convert("RGB").getcolors(1 << 24))
